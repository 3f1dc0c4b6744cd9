import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFault, noFaults } from './faults.js';
import { simulatedReply, simulatedVerdict } from './simulatedAnswer.js';
import { type SimulatedProvider, startSimulatedProvider } from './simulatedProvider.js';

const promptOf = (no: number, points: number | null, by = 'a') =>
  `Reply with criteria_met.\n(simulated by ${by})\n${points === null ? '' : `[${points}] `}Criterion ${no}`;

function metShare(points: number | null, by?: string): number {
  let met = 0;
  for (let no = 0; no < 2000; no += 1) {
    met += Number(simulatedVerdict({ seed: 1, model: 'g', prompt: promptOf(no, points, by) }).criteriaMet);
  }
  return met / 2000;
}

describe('made-up answers', () => {
  it('are the same for the same seed, model and texts, and marked as simulated', () => {
    const messages = [{ role: 'user', content: 'My knee clicks.' }];
    const reply = simulatedReply({ seed: 1, model: 'a', messages });
    expect(simulatedReply({ seed: 1, model: 'a', messages })).toBe(reply);
    expect(reply).toMatch(/^\[simulated reply\] .*\(simulated by a\)$/s);
    for (const other of [
      { seed: 2, model: 'a' },
      { seed: 1, model: 'b' },
    ]) {
      expect(simulatedReply({ ...other, messages })).not.toBe(reply);
    }
    const verdict = simulatedVerdict({ seed: 1, model: 'g', prompt: promptOf(1, 5) });
    expect(verdict).toEqual(simulatedVerdict({ seed: 1, model: 'g', prompt: promptOf(1, 5) }));
    expect(verdict.explanation).toMatch(/^Simulated verdict: .*\.$/);
  });

  it('meet criteria about as often as real models do, by the sign of the points', () => {
    expect(metShare(5)).toBeCloseTo(0.64, 1);
    expect(metShare(-5)).toBeCloseTo(0.2, 1);
    expect(metShare(null)).toBeCloseTo(0.5, 1);
  });

  it('are better from a better model', () => {
    expect(metShare(5, 'strong-model')).toBeGreaterThan(metShare(5, 'mini-model') + 0.1);
    expect(metShare(-5, 'strong-model')).toBeLessThan(metShare(-5, 'mini-model') - 0.05);
  });

  it('differ a little between graders', () => {
    const prompts = Array.from({ length: 1000 }, (_, no) => promptOf(no, 5));
    const by = (model: string) => prompts.map((prompt) => simulatedVerdict({ seed: 1, model, prompt }).criteriaMet);
    const [one, two] = [by('one'), by('two')];
    const agreement = one.filter((met, at) => met === two[at]).length / 1000;
    expect(agreement).toBeGreaterThan(0.85);
    expect(agreement).toBeLessThan(1);
  });
});

describe('chooseFault', () => {
  it('fails as often as told, and lets a later attempt succeed', () => {
    const rates = { ...noFaults, fail429: 0.2, failEmpty: 0.1 };
    const faults = Array.from({ length: 5000 }, (_, no) => chooseFault(rates, 1, `call ${no}`, 1));
    expect(faults.filter((fault) => fault === 'fail429').length / 5000).toBeCloseTo(0.2, 1);
    expect(faults.filter((fault) => fault === 'failEmpty').length / 5000).toBeCloseTo(0.1, 1);
    const attempts = Array.from({ length: 30 }, (_, no) => chooseFault(rates, 1, 'call', no));
    expect(new Set(attempts)).toContain(null);
  });
});

describe('the server', () => {
  let provider: SimulatedProvider;
  beforeEach(async () => {
    provider = await startSimulatedProvider({ logCalls: true });
  });
  afterEach(() => provider.close());

  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${provider.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body), headers });
  const ask = (content: string, more: object = {}) =>
    post({ model: 'm', messages: [{ role: 'user', content }], ...more });
  const textOf = async (response: Response) => {
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    return body.choices[0]?.message.content ?? '';
  };

  it('replies, grades, and lists its models', async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    expect(await textOf(await ask('Hello'))).toBe(simulatedReply({ seed: 1, model: 'm', messages }));
    const expected = simulatedVerdict({ seed: 1, model: 'm', prompt: promptOf(1, 5) });
    const graded = await textOf(await ask(promptOf(1, 5), { response_format: { type: 'json_object' } }));
    expect(JSON.parse(graded)).toEqual({ explanation: expected.explanation, criteria_met: expected.criteriaMet });
    expect(await textOf(await ask(promptOf(1, 5)))).toMatch(/^```json\n\{.*\}\n```$/);
    expect((await fetch(`${provider.url}/models`)).status).toBe(200);
    expect(provider.stats()).toMatchObject({ calls: 3, ok: 3, repeatedOk: 1, inFlight: 0 });
    expect(provider.stats().log.map(({ kind }) => kind)).toEqual(['reply', 'grading', 'grading']);
  });

  it('fails as it is told', async () => {
    provider.configure({ fail429: 1, retryAfterSeconds: 0.25 });
    const limited = await ask('Hello');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '0.25']);
    provider.configure({ fail429: 0, fail500: 1 });
    expect((await ask('Hello')).status).toBe(500);
    provider.configure({ fail500: 0, failEmpty: 1 });
    expect(await textOf(await ask('Hello'))).toBe('');
    provider.configure({ failEmpty: 0, failReset: 1 });
    await expect(ask('Hello').then((response) => response.text())).rejects.toThrow();
    provider.configure({ failReset: 0, failHang: 1 });
    const { body } = { body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }) };
    const hanging = fetch(`${provider.url}/chat/completions`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(50),
    });
    await expect(hanging).rejects.toThrow();
    provider.configure({ failHang: 0, failMalformed: 1 });
    expect((await ask('Hello')).status).toBe(200);
    expect(provider.stats()).toMatchObject({ calls: 6, ok: 0, failed: { fail429: 1, fail500: 1, failMalformed: 1 } });
  });

  it('refuses what it is told to refuse', async () => {
    provider.configure({ refuseJsonSchema: true, refuseFields: ['seed'], models: ['m'] });
    expect((await ask('Hello', { response_format: { type: 'json_schema' } })).status).toBe(400);
    expect((await ask('Hello', { seed: 1 })).status).toBe(400);
    expect((await post({ model: 'other', messages: [{ role: 'user', content: 'Hello' }] })).status).toBe(404);
    expect((await post({})).status).toBe(400);
    provider.configure({ requireKey: 'k', refuseJsonSchema: false });
    expect((await ask('Hello')).status).toBe(401);
    const welcome = await post(
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
      { authorization: 'Bearer k' },
    );
    expect(welcome.status).toBe(200);
    provider.configure({ alwaysUnauthorized: true });
    expect((await fetch(`${provider.url}/models`, { headers: { authorization: 'Bearer k' } })).status).toBe(401);
  });

  it('limits calls at the same time and counts them', async () => {
    provider.configure({ maxConcurrency: 2, latencyMs: 50 });
    const replies = await Promise.all([1, 2, 3, 4].map((no) => ask(`Hello ${no}`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    expect(provider.stats().maxInFlight).toBeLessThanOrEqual(3);
  });
});
