import { type FaultRates, noFaults } from './faults.js';

/** All but host and port can be changed while the provider runs. */
export interface SimulatorSettings extends FaultRates {
  host: string;
  /** 0: any free port. */
  port: number;
  seed: number;
  /** Median time to the reply; a call takes between 1 - spread and 1 + spread times as long. */
  latencyMs: number;
  /** From 0 to 1. */
  latencySpread: number;
  /** Of the 429 replies; a fraction is allowed. Null: no such header. */
  retryAfterSeconds: number | null;
  /** Calls that run at the same time beyond this number get 429. Null: any number. */
  maxConcurrency: number | null;
  /** Refuses `response_format: json_schema` with 400. */
  refuseJsonSchema: boolean;
  /** Request fields that are refused with 400, such as `temperature`. */
  refuseFields: string[];
  /** The one key that is let in. Null: anybody. */
  requireKey: string | null;
  /** Answers 401 to everything. */
  alwaysUnauthorized: boolean;
  /** Keeps a log of all calls, in order; see `stats`. Grows without bound: for tests. */
  logCalls: boolean;
  /** Model names that are listed and known; others get 404. Null: every name is known. */
  models: string[] | null;
}

export const defaultSettings: SimulatorSettings = {
  ...noFaults,
  host: '127.0.0.1',
  port: 0,
  seed: 1,
  latencyMs: 0,
  latencySpread: 0,
  retryAfterSeconds: 1,
  maxConcurrency: null,
  refuseJsonSchema: false,
  refuseFields: [],
  requireKey: null,
  alwaysUnauthorized: false,
  logCalls: false,
  models: null,
};
