import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from './programs.js';

/** What the benchmark asks of the service, through its public API. */
export class Client {
  constructor(url, key) {
    this.url = url;
    this.key = key;
  }

  async query(query, variables = {}) {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  }

  async mutate(field, input, selection) {
    const type = `${field[0].toUpperCase()}${field.slice(1)}Input`;
    const text = `mutation ($input: ${type}!) { ${field}(input: $input) { ${selection} userErrors { message } } }`;
    const payload = (await this.query(text, { input }))[field];
    if (payload.userErrors.length > 0) throw new Error(JSON.stringify(payload.userErrors));
    return payload;
  }

  async endpoint(baseUrl, maxConcurrency) {
    const models = { defaultModel: 'bench-model', defaultGrader: 'bench-grader' };
    const input = { name: `bench ${maxConcurrency}`, baseUrl, maxConcurrency, ...models };
    return (await this.mutate('createModelEndpoint', input, 'modelEndpoint { id }')).modelEndpoint.id;
  }

  async dataset(jsonl) {
    const response = await fetch(`${this.url}/datasets?name=bench`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/x-ndjson' },
      body: jsonl,
    });
    const { dataset } = await response.json();
    return dataset.id;
  }

  /**
   * Runs the first `size` conversations and waits for the end. Returns the calls, the seconds from the first
   * planning to the stored score, and the highest memory of process `pid` meanwhile, in MB.
   */
  async run(datasetId, size, endpointId, pid) {
    const model = { endpointId };
    const sample = { method: 'FIRST', size };
    const input = { name: `bench ${size}`, datasetId, sample, modelUnderTest: model, grader: model };
    const { id } = (await this.mutate('startRun', input, 'run { id }')).run;
    let peakMb = 0;
    for (;;) {
      peakMb = Math.max(peakMb, await residentMb(pid));
      const { run } = await this.query(
        `query ($id: ID!) { run(id: $id) { status statusReason startedAt finishedAt
          usage { model { calls } grader { calls } } score { coverage } } }`,
        { id },
      );
      if (['COMPLETED', 'FAILED', 'PAUSED'].includes(run.status)) {
        if (run.score?.coverage !== 1) throw new Error(`the run did not complete: ${run.status} ${run.statusReason}`);
        const seconds = (new Date(run.finishedAt) - new Date(run.startedAt)) / 1000;
        return { calls: run.usage.model.calls + run.usage.grader.calls, seconds, peakMb };
      }
      await sleep(250);
    }
  }
}
