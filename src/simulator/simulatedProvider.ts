import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallLog, type SimulatorStats } from './callLog.js';
import { type ChatCall, readChatCall, refusal, refuseCall, refuseCaller } from './chatCall.js';
import { draw } from './draw.js';
import { chooseFault } from './faults.js';
import { refuse, sendCompletion, sendFault, sendModels } from './sendReply.js';
import { defaultSettings, type SimulatorSettings } from './settings.js';
import { simulatedReply, simulatedVerdict } from './simulatedAnswer.js';

export interface SimulatedProvider {
  /** Base URL for clients, up to and with `/v1`. */
  url: string;
  port: number;
  stats(): SimulatorStats;
  /** Changes settings for the calls that arrive from now on. */
  configure(changes: Partial<Omit<SimulatorSettings, 'host' | 'port'>>): void;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/**
 * An OpenAI-compatible provider that calls no model: replies and verdicts are made up, marked as simulated, and
 * pure functions of seed, model and texts. Serves `POST /v1/chat/completions` and `GET /v1/models`, and fails
 * in the ways and as often as it is told to.
 */
export async function startSimulatedProvider(options: Partial<SimulatorSettings> = {}): Promise<SimulatedProvider> {
  let settings: SimulatorSettings = { ...defaultSettings, ...options };
  const log = new CallLog();
  const server = createServer((request, response) => {
    // A caller that leaves is no fault of ours.
    response.on('error', () => undefined);
    serve(settings, log, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(settings.port, settings.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${settings.host}:${port}/v1`,
    port,
    stats: () => log.stats(),
    configure: (changes) => {
      settings = { ...settings, ...changes };
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  settings: SimulatorSettings,
  log: CallLog,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?')[0]?.replace(/\/+$/, '');
  const unauthorized = refuseCaller(settings, request.headers.authorization);
  if (unauthorized !== null) {
    request.resume();
    return refuse(response, unauthorized);
  }
  if (path === '/v1/models' && request.method === 'GET') return sendModels(settings, response);
  if (path !== '/v1/chat/completions') return refuse(response, refusal(404, `Invalid URL (${path})`, null, null));
  if (request.method !== 'POST') return refuse(response, refusal(405, 'Only POST is served here.', null, null));
  const call = await readChatCall(request);
  if (call === null) return refuse(response, refusal(400, 'The body is no chat completion.', null, null));
  await answer(settings, log, call, response);
}

async function answer(
  settings: SimulatorSettings,
  log: CallLog,
  call: ChatCall,
  response: ServerResponse,
): Promise<void> {
  const { attempt, end } = log.begin(call, settings.logCalls);
  response.on('close', () => end('dropped'));
  const refused = refuseCall(settings, call);
  if (refused !== null) {
    end('refused');
    return refuse(response, refused);
  }
  const crowded = settings.maxConcurrency !== null && log.inFlight > settings.maxConcurrency;
  const fault = crowded ? 'fail429' : chooseFault(settings, settings.seed, call.key, attempt);
  if (fault === 'failHang') return;
  if (fault !== 'fail429') await latency(settings, call, attempt);
  if (response.destroyed) return;
  end(fault ?? 'ok');
  if (fault !== null) sendFault(fault, settings, call, attempt, response);
  else sendCompletion(response, call, answerText(settings.seed, call));
}

function answerText(seed: number, { grading, model, prompt, messages, fields }: ChatCall): string {
  if (!grading) return simulatedReply({ seed, model, messages });
  const { criteriaMet, explanation } = simulatedVerdict({ seed, model, prompt });
  const verdict = JSON.stringify({ explanation, criteria_met: criteriaMet });
  return fields.response_format === undefined ? `\`\`\`json\n${verdict}\n\`\`\`` : verdict;
}

async function latency(settings: SimulatorSettings, call: ChatCall, attempt: number): Promise<void> {
  const { latencyMs, latencySpread, seed } = settings;
  if (latencyMs <= 0) return;
  const factor = 1 + latencySpread * (2 * draw('latency', seed, call.key, attempt) - 1);
  await new Promise((resolve) => setTimeout(resolve, latencyMs * factor));
}
