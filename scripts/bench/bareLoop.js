/**
 * What the machine can do without Assay: `connections` loops that call the provider as fast as it answers, and
 * keep nothing. A process of its own, so that it has an event loop of its own, as Assay has.
 *
 * Arguments: openai | fetch, base URL, calls, connections. Prints calls per second.
 */
import { CRITERIA, gradingBody } from './material.js';

const [kind, baseURL, calls, connections] = process.argv.slice(2);

const callers = {
  async openai() {
    const { default: OpenAI } = await import('openai');
    const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
    return async (body) => {
      const reply = await client.chat.completions.create(body);
      return reply.choices[0].message.content;
    };
  },
  async fetch() {
    return async (body) => {
      const response = await fetch(`${baseURL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
        body: JSON.stringify(body),
      });
      return (await response.json()).choices[0].message.content;
    };
  },
};

/** One reply and CRITERIA verdicts in turn, as in a run. */
function bodyOf(i) {
  if (i % (CRITERIA + 1) !== 0) return gradingBody(i);
  const { messages } = gradingBody(i);
  return { model: 'bench-model', messages: [{ role: 'user', content: messages[0].content.slice(0, 500) }] };
}

const call = await callers[kind]();
let next = 0;
const loop = async (end) => {
  while (next < end) {
    const i = next++;
    const text = await call(bodyOf(i));
    if (text.length === 0) throw new Error('an empty reply');
  }
};
const round = (end) => Promise.all(Array.from({ length: Number(connections) }, () => loop(end)));

await round(Math.min(500, Number(calls)));
const first = next;
const started = performance.now();
await round(first + Number(calls));
console.log(Number(calls) / ((performance.now() - started) / 1000));
