import type { FastifyInstance } from 'fastify';
import { type ContextOf, sendExport } from '../audit/export.route.js';
import { exportTeam } from './exportTeam.js';

/** `GET /team/export`: everything of the team as JSONL with a `type` in each row. For admins. */
export function registerTeamExport(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/team/export', async (request, reply) => {
    const context = await contextOf(request);
    return sendExport(reply, context, 'exportTeam', () => exportTeam(context.db, context.teamId));
  });
}
