import { type FollowOptions, followVerdicts } from './followVerdicts.js';
import {
  CompareDocument,
  type ComparisonFragment,
  type DatasetSource,
  type DownloadFragment,
  type ImportRunInput,
  type ListedRunFragment,
  RunsDocument,
  type RunsQueryVariables,
  ScoreCardDocument,
  type ScoreCardFragment,
  type StartedRunFragment,
  StartRunDocument,
  type StartRunInput,
  type TypedDocumentString,
  type VerdictBatchFragment,
  type VerdictFilter,
  type VerdictFragment,
  VerdictsDocument,
} from './generated/operations.js';
import { importSource } from './importSource.js';
import {
  accepted,
  type Connection,
  type ImportAnswer,
  type ImportRunAnswer,
  request,
  uploadDataset,
  uploadRun,
  type VariablesOf,
} from './request.js';
import { subscribe } from './subscribe.js';

const PAGE = 500;

/** The service, typed by its schema. Every method throws ClientError: ApiError with a `code`, Unreachable, … */
export class AssayClient {
  readonly #connection: Connection;

  constructor({ url, apiKey }: Connection) {
    this.#connection = { url: url.replace(/\/+$/, ''), apiKey };
  }

  /** Any query or mutation, with a document of this package or one that you have generated yourself. */
  request<R, V>(document: TypedDocumentString<R, V>, ...variables: VariablesOf<V>): Promise<R> {
    return request(this.#connection, document, ...variables);
  }

  /** Any subscription, until the service completes it or the signal aborts. It does not reconnect. */
  subscribe<R, V extends Record<string, unknown>>(
    document: TypedDocumentString<R, V>,
    variables: V,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<R> {
    return subscribe(this.#connection, document, variables, signal);
  }

  /** One page of the team's runs (50 unless `first` says otherwise), newest first. */
  async runs(variables: RunsQueryVariables = {}): Promise<ListedRunFragment[]> {
    return (await this.request(RunsDocument, variables)).runs.nodes;
  }

  /** Settings, progress and scores of a run; null when there is none with this id. */
  async run(id: string): Promise<ScoreCardFragment | null> {
    return (await this.request(ScoreCardDocument, { id })).run;
  }

  /** Every verdict of a run that is there now, in the order in which they came. */
  async *verdicts(runId: string, filter?: VerdictFilter): AsyncGenerator<VerdictFragment> {
    for (let after: string | null = null, more = true; more; ) {
      const { run } = await this.#page(runId, after, filter);
      if (run === null) return;
      yield* run.verdicts.nodes;
      more = run.verdicts.pageInfo.hasNextPage;
      after = run.verdicts.pageInfo.endCursor;
    }
  }

  #page(runId: string, after: string | null, filter: VerdictFilter | undefined) {
    return this.request(VerdictsDocument, { runId, first: PAGE, after, filter });
  }

  /** Verdicts as they come, from the number `after` on, each once, until the run is over. Mends a broken connection. */
  stream(runId: string, options: FollowOptions = {}): AsyncGenerator<VerdictBatchFragment> {
    return followVerdicts(this.#connection, runId, options);
  }

  /** The paired comparison of two runs; null when one of them is not there. */
  async compare(baselineId: string, candidateId: string): Promise<ComparisonFragment | null> {
    return (await this.request(CompareDocument, { baselineId, candidateId, flips: 5 })).compareRuns;
  }

  /** Starts a run and returns at once. Throws RefusedInput with what to mend. */
  async startRun(input: StartRunInput): Promise<StartedRunFragment> {
    return accepted((await this.request(StartRunDocument, { input })).startRun).run;
  }

  /** Imports a JSONL file; a stream is sent without being held in memory. */
  importDataset(body: NonNullable<RequestInit['body']>, name: string): Promise<ImportAnswer> {
    return uploadDataset(this.#connection, body, name);
  }

  /** Imports a finished run of another harness: its result file, and what that does not say. No model is called. */
  importRun(body: NonNullable<RequestInit['body']>, input: Omit<ImportRunInput, 'file'>): Promise<ImportRunAnswer> {
    return uploadRun(this.#connection, body, input);
  }

  /** Makes the service fetch an official file, and waits until it is imported. */
  importSource(
    source: DatasetSource,
    options: { name?: string; onProgress?: (download: DownloadFragment) => void } = {},
  ): Promise<ImportAnswer> {
    return importSource(this.#connection, { source, name: options.name }, options.onProgress);
  }
}
