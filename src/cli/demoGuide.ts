import type { Paint } from './paint.js';
import { DEFAULT_URL, keyFile, type Settings } from './settings.js';

/** The demo's last words: where the service is, and what to type to see more. */
export function demoGuide(
  settings: Settings,
  { runId, dataDir, keeps, paint }: { runId: string; dataDir: string; keeps: boolean; paint: Paint },
): string {
  const elsewhere = settings.url === DEFAULT_URL ? '' : `ASSAY_URL=${settings.url} `;
  const cli = `${elsewhere}ASSAY_DATA_DIR=${dataDir} npm run assay --`;
  const port = settings.url === DEFAULT_URL ? '' : `PORT=${new URL(settings.url).port} `;
  const again = `${port}ASSAY_DATA_DIR=${dataDir} npm start`;
  return [
    paint.strong('Where to look further'),
    `  GraphQL   ${settings.url}/graphql`,
    `  Key       ${settings.apiKey}  (in ${keyFile(dataDir)})`,
    ...(keeps
      ? []
      : [
          `  Service   stopped; start it again with: ${again}`,
          '            (or keep it next time: npm run demo -- --keep)',
        ]),
    '',
    paint.strong('A query to paste'),
    ...curl(settings.url, runId, dataDir),
    '',
    paint.strong('From the command line'),
    `  ${cli} show latest`,
    `  ${cli} runs`,
    `  ${cli} --help`,
  ].join('\n');
}

/** Score, interval, themes, and three criteria that were not met, each with the grader's explanation. */
function curl(url: string, runId: string, dataDir: string): string[] {
  const query =
    `{ run(id: "${runId}") { name score { value n coverage interval { low high } } ` +
    'tagScores(group: THEME) { label value n } ' +
    'verdicts(first: 3, filter: { met: false, points: POSITIVE }) { nodes { points explanation criterion { text axis } } } } }';
  return [
    `  curl -s ${url}/graphql -H "authorization: Bearer $(cat ${keyFile(dataDir)})" \\`,
    `    -H 'content-type: application/json' -d '${JSON.stringify({ query })}'`,
  ];
}
