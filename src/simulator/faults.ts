import { draw, pick } from './draw.js';

export type Fault = 'fail429' | 'fail500' | 'failMalformed' | 'failReset' | 'failHang' | 'failEmpty';

/** Shares of calls that fail in each way, from 0 to 1; together at most 1. */
export type FaultRates = Record<Fault, number>;

export const noFaults: FaultRates = {
  fail429: 0,
  fail500: 0,
  failMalformed: 0,
  failReset: 0,
  failHang: 0,
  failEmpty: 0,
};

/** The first attempt is 1. The same call may succeed at the next attempt, and fails again in the next test run. */
export function chooseFault(rates: FaultRates, seed: number, call: string, attempt: number): Fault | null {
  let luck = draw('fault', seed, call, attempt);
  for (const fault of Object.keys(noFaults) as Fault[]) {
    if (luck < rates[fault]) return fault;
    luck -= rates[fault];
  }
  return null;
}

/** A body that goes out with status 200 and must not be taken for an answer. */
export interface MalformedBody {
  contentType: string;
  body: string;
}

const json = (value: unknown): MalformedBody => ({ contentType: 'application/json', body: JSON.stringify(value) });

function completion(content: unknown, finishReason = 'stop'): MalformedBody {
  return json({
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content } }],
  });
}

/** Broken envelopes, which no caller can take for a reply. */
const brokenReplies: MalformedBody[] = [
  { contentType: 'text/html', body: '<html><body>Simulated gateway page</body></html>' },
  { contentType: 'application/json', body: '{"object": "chat.completion", "choices": [{"index": 0, "mess' },
  json({ object: 'chat.completion', choices: [] }),
  json({ error: { message: 'Simulated upstream failure', code: 502 } }),
  json({
    choices: [{ finish_reason: 'error', message: { content: 'Half a sen' }, error: { code: 502, message: 'gone' } }],
  }),
];

/** Whole envelopes around something that is no verdict. */
const brokenVerdicts: MalformedBody[] = [
  completion('{"explanation": "Simulated, cut in the midd', 'length'),
  completion('{"explanation": "Simulated, not a boolean.", "criteria_met": "mostly"}'),
  completion('Simulated prose: the criterion seems to be met, all in all.'),
  completion('{"explanation": "Simulated, without a verdict."}'),
  completion('{"criteria_met": true, "explanation": "one"} {"criteria_met": false, "explanation": "two"}'),
];

/** Which kind of nonsense an attempt gets. */
export function malformedBody(grading: boolean, seed: number, call: string, attempt: number): MalformedBody {
  const kinds = grading ? [...brokenReplies, ...brokenVerdicts] : brokenReplies;
  return pick(kinds, 'malformed', seed, call, attempt);
}
