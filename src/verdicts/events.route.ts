import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loadCanaries } from '../datasets/dataset.queries.js';
import { NotFound } from '../errors.js';
import { globalId, uuidOf } from '../platform/relay/globalId.js';
import { progressOf } from '../runs/progress.js';
import { findRun } from '../runs/run.queries.js';
import { requireRole } from '../tenancy/access.js';
import type { CredentialWatch } from '../tenancy/credentialWatch.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { EventStream } from './eventStream.js';
import { followVerdicts } from './feed.js';
import type { Batch } from './runTail.js';

const RUN_GONE = 4404;

/**
 * `GET /runs/{id}/events?after=N`: the events of subscription `runVerdicts` as server-sent events, for scripts
 * without a WebSocket. Each event's id is its cursor, so a client that reconnects with `Last-Event-ID` goes on
 * exactly where it was. The stream ends with the run, after an event `end`; or after an event `closed`, with the code
 * and reason that a WebSocket would be closed with when the credential ends, and 4404 when the run is deleted.
 */
export function registerEvents(
  app: FastifyInstance,
  contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>,
  watch: CredentialWatch,
): void {
  app.get<{ Params: { id: string }; Querystring: { after?: string } }>('/runs/:id/events', async (request, reply) => {
    const context = await contextOf(request, reply);
    requireRole(context, 'VIEWER');
    const { db, teamId, services } = context;
    const run = await findRun(db, teamId, uuidOf('Run', request.params.id));
    if (run === null) throw new NotFound('Run', ['id']);
    const canaries = await loadCanaries(db, teamId, run.datasetId);
    const after = Number(request.headers['last-event-id'] ?? request.query.after ?? 0);
    reply.hijack();
    const response = reply.raw;
    // Nobody would say when to stop.
    if (response.destroyed) return;
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // A proxy that collects the stream would defeat it.
      'x-accel-buffering': 'no',
    });
    const source = { db, queue: services.queue, wakeUps: services.wakeUps, teamId, runId: run.id };
    const batches = followVerdicts(source, Number.isSafeInteger(after) && after > 0 ? after : 0);
    const authorization = request.headers.authorization ?? '';
    const stream = new EventStream(response);
    const answer = {
      close(code: number, reason: string) {
        void batches.return?.();
        stream.end('closed', JSON.stringify({ code, reason }));
      },
    };
    if (context.actor !== null) watch.join(authorization, context.actor, answer);
    response.on('close', () => {
      watch.leave(authorization, answer);
      void batches.return?.();
    });
    try {
      for await (const batch of batches) {
        await stream.send('verdicts', textOf(batch, canaries), batch.cursor);
        if (!stream.isOpen) return;
      }
      stream.end('end', '{}');
    } catch (error) {
      if (error instanceof NotFound) return answer.close(RUN_GONE, 'Run deleted');
      services.log.error({ err: error, requestId: request.id }, 'event stream failed');
      response.destroy();
    }
  });
}

/** The text of a batch; the same for everybody who reads the run here, so made once. */
function textOf(batch: Batch, canaries: string[]): string {
  const text = texts.get(batch) ?? JSON.stringify(shown(batch, canaries));
  texts.set(batch, text);
  return text;
}

const texts = new WeakMap<Batch, string>();

/** A batch as JSON, with the names of the GraphQL type VerdictBatch, and the canaries of the texts in it. */
function shown({ verdicts, cursor, run, runStatus }: Batch, canaries: string[]): object {
  return {
    cursor,
    canaries,
    runStatus,
    progress: progressOf(run, new Date()),
    verdicts: verdicts.map(({ runId, criterionNo, text, points, tags, axis, ...verdict }) => ({
      ...verdict,
      id: globalId('CriterionVerdict', runId, verdict.ordinal, criterionNo),
      points,
      criterion: { no: criterionNo, text, points, tags, axis },
    })),
  };
}
