import { InvalidInput } from '../errors.js';
import { holm } from '../healthbench/holm.js';
import { comparePairGroups, type Pair, type PairedComparison } from '../healthbench/pairedComparison.js';
import type { Database } from '../platform/database.js';
import { takeTurns } from '../platform/takeTurns.js';
import type { RunRow } from '../runs/run.queries.js';
import { differencesOf, type RunDifferences } from './runDifferences.js';
import {
  countShared,
  loadAxisPairs,
  loadScoredPairs,
  pairRuns,
  type RunPair,
  type ScoredPair,
  type SharedCounts,
} from './runPair.js';
import { loadVerdictGroups, type VerdictGroup } from './verdictPair.queries.js';

/** The same two runs give the same numbers. */
const SEED = 0;

export interface TagComparison extends PairedComparison {
  tag: string;
  /** Holm's correction over all themes and axes together. */
  adjustedPValue: number;
}

/** A conversation with the mean score of its repeats on both sides, and its repeat that differs most that way. */
export interface ChangedConversation {
  conversation: number;
  repeats: number;
  baseline: number;
  candidate: number;
  baselineOrdinal: number;
  candidateOrdinal: number;
}

/**
 * Two runs side by side. Everything is over the conversations that both have and is computed when it is asked for,
 * once: a gate that wants one number does not pay for the list of verdicts.
 */
export class Comparison {
  readonly differences: RunDifferences;
  readonly #kept = new Map<string, Promise<unknown>>();

  private constructor(
    private readonly db: Database,
    readonly pair: RunPair,
    readonly shared: SharedCounts,
  ) {
    this.differences = differencesOf(pair.baseline, pair.candidate);
  }

  /** Throws InvalidInput for runs that have no conversation in common. */
  static async of(db: Database, teamId: string, baseline: RunRow, candidate: RunRow): Promise<Comparison> {
    const pair = await pairRuns(db, teamId, baseline, candidate);
    const shared = await countShared(db, pair);
    if (shared.conversations === 0) throw new InvalidInput(nothingShared(pair), ['candidateId']);
    return new Comparison(db, pair, shared);
  }

  /** Null when no conversation has a score on both sides. */
  overall(): Promise<PairedComparison | null> {
    return this.#once('overall', async () => {
      const compared = await takeTurns(comparePairGroups(new Map([['', await this.#pairs()]]), SEED));
      return compared.get('') ?? null;
    });
  }

  /** Themes first, then axes, each in the order of their names. */
  tags(): Promise<TagComparison[]> {
    return this.#once('tags', async () => {
      const axes = await loadAxisPairs(this.db, this.pair);
      const groups = new Map<string, Pair[]>([...byTheme(await this.#pairs()), ...axes]);
      const compared = [...(await takeTurns(comparePairGroups(groups, SEED)))];
      const adjusted = holm(compared.map(([, { pValue }]) => pValue));
      return compared.map(([tag, numbers], at) => ({ tag, ...numbers, adjustedPValue: adjusted[at] as number }));
    });
  }

  /** The conversations that lost (or gained) most, by the mean of their repeats; none that stayed. */
  async changed(direction: 'LOST' | 'GAINED', first: number): Promise<ChangedConversation[]> {
    const sign = direction === 'LOST' ? -1 : 1;
    const delta = (of: { baseline: number; candidate: number }) => sign * (of.candidate - of.baseline);
    return [...Map.groupBy(await this.#pairs(), (pair) => pair.conversation).values()]
      .map((repeats) => changedConversation(repeats, delta))
      .filter((conversation) => delta(conversation) > 1e-12)
      .sort((a, b) => delta(b) - delta(a) || a.conversation - b.conversation)
      .slice(0, first);
  }

  verdictGroups(): Promise<VerdictGroup[]> {
    return this.#once('verdicts', () => loadVerdictGroups(this.db, this.pair));
  }

  #pairs(): Promise<ScoredPair[]> {
    return this.#once('pairs', () => loadScoredPairs(this.db, this.pair));
  }

  #once<T>(key: string, compute: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key) ?? compute();
    this.#kept.set(key, kept);
    return kept as Promise<T>;
  }
}

function byTheme(pairs: readonly ScoredPair[]): [string, ScoredPair[]][] {
  const themed = pairs.filter(({ theme }) => theme !== null);
  const groups = Map.groupBy(themed, ({ theme }) => `theme:${theme}`);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function changedConversation(repeats: readonly ScoredPair[], delta: (pair: ScoredPair) => number): ChangedConversation {
  const mean = (side: 'baseline' | 'candidate') =>
    repeats.reduce((sum, repeat) => sum + repeat[side], 0) / repeats.length;
  const most = repeats.reduce((found, repeat) => (delta(repeat) > delta(found) ? repeat : found));
  const { conversation, baselineOrdinal, candidateOrdinal } = most;
  const [baseline, candidate] = [mean('baseline'), mean('candidate')];
  return { conversation, repeats: repeats.length, baseline, candidate, baselineOrdinal, candidateOrdinal };
}

function nothingShared({ baseline, candidate, same }: RunPair): string {
  const names = `“${baseline.name}” and “${candidate.name}”`;
  if (same === null) return `${names} have no conversation in common: they took different samples of one dataset.`;
  return `${names} have no conversation in common: they ran over different datasets (sha256 ${baseline.datasetSha256.slice(0, 12)}… and ${candidate.datasetSha256.slice(0, 12)}…).`;
}
