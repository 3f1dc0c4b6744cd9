import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { eventually } from './support/household.js';
import { answers, Receiver, takes } from './support/receiver.js';
import { spawnAndWait } from './support/spawnAndWait.js';

describe('for webhooks', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let receiver: Receiver;
  let folder: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    receiver = await Receiver.start();
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    folder = await mkdtemp(path.join(tmpdir(), 'assay-webhooks-'));
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });

  const command = (...args: string[]) =>
    spawnAndWait(process.execPath, ['bin/assay.js', 'webhooks', ...args], {
      env: { PATH: process.env.PATH as string, ASSAY_URL: assay.server.url, ASSAY_API_KEY: team.key },
    });

  it('there are commands: create, list, test, deliveries, redeliver, rotate, disable, enable, delete', async () => {
    expect((await command()).stderr).toContain('assay webhooks create');
    const made = await command('create', 'ci', receiver.url, '--event', 'run-completed', 'run-failed');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
    expect((await command()).stdout).toMatch(/ci +http:\S+ +on +run-completed run-failed/);
    expect(await command('test', 'ci')).toMatchObject({ code: 0, stdout: expect.stringMatching(/took it \(HTTP 204/) });
    receiver.verified(receiver.messages[0] as never, made.stdout.trim());
    receiver.behaviour = answers(403, {}, 'who are you?');
    expect(await command('test', 'ci')).toMatchObject({
      code: 1,
      stdout: 'The receiver answered (HTTP 403): who are you?\n',
    });
    receiver.behaviour = takes;
    const [failed] = JSON.parse((await command('deliveries', 'ci', '--failed', '--json')).stdout);
    expect((await command('deliveries', 'ci')).stdout).toMatch(/test +– +FAILED +1 +403 +The receiver answered/);
    expect(await command('redeliver', failed.id)).toMatchObject({ code: 0 });
    await eventually(async () => receiver.messages.length === 3);
    expect((await command('rotate', 'ci')).stdout).toMatch(/^whsec_/);
    expect((await command('disable', 'ci')).stdout).toBe('Webhook ci is off.\n');
    expect((await command()).stdout).toMatch(/ off /);
    expect((await command('enable', 'ci')).stdout).toBe('Webhook ci is on.\n');
    expect((await command('delete', 'ci')).stdout).toBe('Deleted webhook ci.\n');
    expect(await command('test', 'ci')).toMatchObject({ code: 1, stderr: expect.stringContaining('no webhook') });
    expect(await command('create', 'x', 'file:///etc')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('http or https'),
    });
  }, 60_000);

  it('there is an example of a receiver that works as pasted, takes what is ours and refuses what is not', async () => {
    const page = await readFile('docs/webhooks.md', 'utf8');
    const [, code] = /```js\n([\s\S]*?)```/.exec(page) as unknown as [string, string];
    await writeFile(path.join(folder, 'receiver.mjs'), code);
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    // Its port is known before the secret is: the webhook is made first and moved there.
    const made = await team.mutate('createWebhook', { name: 'example', url: receiver.url }, 'webhook { id } secret');
    const example = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH as string, PORT: '0', WEBHOOK_SECRET: made.secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines = linesOf(example);
      await eventually(async () => lines.length > 0);
      const url = `http://127.0.0.1:${/listening on (\d+)/.exec(lines[0] ?? '')?.[1]}/`;
      await team.mutate('updateWebhook', { webhookId: made.webhook.id, url }, 'webhook { id }');
      const datasetId = (await team.dataset(jsonl(conversations(3)))).id;
      const runId = await team.start({ datasetId, name: 'nightly' });
      await team.watch(runId);
      await eventually(async () => lines.length > 1);
      const { score } = await team.run(runId, 'score { value }');
      expect(lines[1]).toBe(`run.completed nightly ${score.value}`);
      const forged = await fetch(url, { method: 'POST', body: '{"type":"run.completed","data":{}}' });
      expect(forged.status).toBe(401);
    } finally {
      example.kill();
      await once(example, 'exit');
    }
  }, 60_000);
});

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  return lines;
}
