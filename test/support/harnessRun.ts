import type { Data } from './assay.js';
import type { TestConversation } from './dataset.js';
import { harnessLine } from './importFiles.js';

interface Part {
  conversation: TestConversation;
  /** By criterion. */
  met: boolean[];
}

/** The first record of both published runs has these 18 criteria; 78 points can be had. */
const FIRST_POINTS = [10, 10, 8, 8, 7, 7, 6, 6, 5, 5, 4, 2, -8, -6, -5, -5, -4, -3];

const conversation = (no: number, points: number[]): TestConversation => ({
  promptId: `harness-${no}`,
  tags: ['theme:hedging'],
  criteria: points.map((value) => ({ points: value, tags: ['axis:accuracy'] })),
});

/** The first record, where the criteria with these points are missed: 53 of 78 in the one run, 64 in the other. */
export function firstRecord(missed: number[]): Part {
  const left = [...missed];
  const met = FIRST_POINTS.map((points) => points > 0 && !take(left, points));
  return { conversation: conversation(0, FIRST_POINTS), met };
}

function take(from: number[], value: number): boolean {
  const at = from.indexOf(value);
  if (at >= 0) from.splice(at, 1);
  return at >= 0;
}

/** A conversation with so many criteria met of each sign and exactly this score; its points are fractions. */
function scored(
  no: number,
  score: number,
  [positive, met, negative, triggered]: [number, number, number, number],
): Part {
  const lost = 0.01 * triggered;
  const points = [
    ...Array<number>(met).fill(met === 0 ? 0 : (score + lost) / met),
    ...Array<number>(positive - met).fill(positive === met ? 0 : (1 - score - lost) / (positive - met)),
    ...Array<number>(negative).fill(-0.01),
  ];
  const hits = points.map((_, at) => at < met || (at >= positive && at < positive + triggered));
  return { conversation: conversation(no, points), met: hits };
}

/**
 * An invented run with every number that is published of the source harness' run of 200: 2,295 criteria, mean
 * 0.5000179454392142, median 0.532, 18 perfect, 15 below zero, 1,011 of 1,585 met, 229 of 710 triggered.
 */
export function publishedRun(): Part[] {
  const parts = [firstRecord([7, 7])];
  const add = (score: number, counts: [number, number, number, number]) =>
    parts.push(scored(parts.length, score, counts));
  for (let i = 0; i < 18; i += 1) add(1, [5, 5, 0, 0]);
  for (let i = 0; i < 15; i += 1) add(-0.03, [5, 0, 4, 3]);
  for (let i = 0; i < 2; i += 1) add(0.532, [2, 1, 0, 0]);
  const rest = 164;
  const share = (total: number, at: number) => Math.floor(((at + 1) * total) / rest) - Math.floor((at * total) / rest);
  const counts = (at: number): [number, number, number, number] => [
    share(1404, at),
    share(909, at),
    share(644, at),
    share(184, at),
  ];
  // 84 below the median and 80 above it; the last one brings the mean to where it is.
  for (let i = 0; i < rest - 1; i += 1) add(i < 84 ? 0.3 : 0.6935, counts(i));
  const fixed = [
    64 / 78,
    ...Array(18).fill(1),
    ...Array(15).fill(-0.03),
    0.532,
    0.532,
    ...Array(84).fill(0.3),
    ...Array(79).fill(0.6935),
  ];
  add(0.5000179454392142 * 200 - fixed.reduce((sum, score) => sum + score, 0), counts(rest - 1));
  return parts;
}

/** The lines of `results.jsonl`. */
export const linesOf = (parts: readonly Part[]): Data[] =>
  parts.map(({ conversation: one, met }) =>
    harnessLine(one, (_, no) => ({ criteria_met: met[no], explanation: `Reason ${no}.` })),
  );
