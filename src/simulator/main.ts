import { parseArgs } from 'node:util';
import { defaultSettings, type SimulatorSettings } from './settings.js';
import { startSimulatedProvider } from './simulatedProvider.js';

const help = `The simulated provider: OpenAI-compatible, calls no model, makes replies and verdicts up.

  --port N             0 (the default) is any free port
  --host NAME          127.0.0.1
  --seed N             1
  --latency-ms N       150; --latency-spread 0..1 (0.3)
  --fail429 0..1       share of calls; likewise --fail500, --fail-malformed, --fail-reset, --fail-hang, --fail-empty
  --retry-after S      seconds, of the 429 replies (1)
  --max-concurrency N  more calls at once get 429
  --refuse-json-schema
  --refuse-field NAME  may be given several times
  --require-key KEY    others get 401; --unauthorized: all do
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** Reads the flags; throws TypeError or RangeError for what is wrong with them. */
function readFlags() {
  const { values } = parseArgs({
    options: {
      help: flag,
      port: text,
      host: text,
      seed: text,
      'latency-ms': text,
      'latency-spread': text,
      fail429: text,
      fail500: text,
      'fail-malformed': text,
      'fail-reset': text,
      'fail-hang': text,
      'fail-empty': text,
      'retry-after': text,
      'max-concurrency': text,
      'refuse-json-schema': flag,
      'refuse-field': { type: 'string', multiple: true },
      'require-key': text,
      unauthorized: flag,
    },
  });
  return values;
}

function settingsOf(flags: ReturnType<typeof readFlags>): SimulatorSettings {
  return {
    ...defaultSettings,
    host: flags.host ?? defaultSettings.host,
    port: numberOf('port', flags.port, 0, 65_535),
    seed: numberOf('seed', flags.seed, defaultSettings.seed),
    latencyMs: numberOf('latency-ms', flags['latency-ms'], 150),
    latencySpread: numberOf('latency-spread', flags['latency-spread'], 0.3, 1),
    fail429: numberOf('fail429', flags.fail429, 0, 1),
    fail500: numberOf('fail500', flags.fail500, 0, 1),
    failMalformed: numberOf('fail-malformed', flags['fail-malformed'], 0, 1),
    failReset: numberOf('fail-reset', flags['fail-reset'], 0, 1),
    failHang: numberOf('fail-hang', flags['fail-hang'], 0, 1),
    failEmpty: numberOf('fail-empty', flags['fail-empty'], 0, 1),
    retryAfterSeconds: numberOf('retry-after', flags['retry-after'], 1),
    maxConcurrency: flags['max-concurrency'] ? numberOf('max-concurrency', flags['max-concurrency'], 1) : null,
    refuseJsonSchema: flags['refuse-json-schema'],
    refuseFields: flags['refuse-field'] ?? [],
    requireKey: flags['require-key'] ?? null,
    alwaysUnauthorized: flags.unauthorized,
  };
}

function numberOf(
  name: string,
  given: string | undefined,
  standard: number,
  highest = Number.MAX_SAFE_INTEGER,
): number {
  const value = given === undefined ? standard : Number(given);
  if (given === '' || !(value >= 0 && value <= highest)) throw new RangeError(`--${name} must be from 0 to ${highest}`);
  return value;
}

async function main(): Promise<void> {
  const flags = readFlags();
  if (flags.help) {
    console.log(help);
    return;
  }
  const provider = await startSimulatedProvider(settingsOf(flags));
  console.log(`The simulated provider answers at ${provider.url} (no model is called).`);
  const stop = () => void provider.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

main().catch((error: Error) => {
  console.error(`${error.message}\n\n${help}`);
  process.exitCode = 1;
});
