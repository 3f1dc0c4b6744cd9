type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type AgentClass = new (options: Record<string, unknown>) => Dispatcher;

let agent: Promise<Dispatcher | null> | undefined;

/**
 * Kept-alive connections for calls that may think for longer than the 300 s at which Node's own `fetch` gives
 * up; the caller's deadline bounds them. Null where this Node does not show its agent: then 300 s hold.
 */
export function keepAliveAgent(): Promise<Dispatcher | null> {
  agent ??= createAgent();
  return agent;
}

/** Node has the class of its agent only behind the object that `fetch` sets up at its first use. */
async function createAgent(): Promise<Dispatcher | null> {
  await fetch('data:,');
  const current: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
  if (typeof current !== 'object' || current === null || current.constructor.name !== 'Agent') return null;
  const Agent = current.constructor as AgentClass;
  return new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 15_000 }, keepAliveTimeout: 4_000 });
}
