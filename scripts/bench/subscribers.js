/**
 * Many subscribers of one run, as thin as they can be, in a process of their own.
 *
 * Arguments: URL, key, id of the run, subscribers, sequence number of the last verdict. Prints `ready` when all have
 * their first batch, and at the end one line of JSON: `{ arrivals: [[first, last, ms since 1970], …], gaps, doubles }`.
 */
import { WebSocket } from 'ws';

const [url, key, runId, count, total] = process.argv.slice(2);
const query = `subscription ($id: ID!) { runVerdicts(runId: $id, after: 0) {
  cursor verdicts { sequence criteriaMet points } } }`;
const now = () => performance.timeOrigin + performance.now();

/** All get the same text, so it is parsed once. Few are on their way at a time. */
const known = new Map();
function sequencesIn(text) {
  let found = known.get(text);
  if (found === undefined) {
    const { cursor, verdicts } = JSON.parse(text).payload.data.runVerdicts;
    found = { cursor, sequences: verdicts.map(({ sequence }) => sequence) };
    if (known.size > 500) known.clear();
    known.set(text, found);
  }
  return found;
}

const arrivals = [];
let [ready, gaps, doubles] = [0, 0, 0];

/** Sockets come a few at a time: a process takes 500 at most that have not shown a credential yet. */
const ARRIVING = 50;
const gate = { open: ARRIVING, waiting: [] };
async function arrive() {
  if (gate.open > 0) gate.open -= 1;
  else await new Promise((resolve) => gate.waiting.push(resolve));
}
function arrived() {
  const next = gate.waiting.shift();
  if (next === undefined) gate.open += 1;
  else next();
}

async function subscriber() {
  await arrive();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  let last = 0;
  let isReady = false;
  const send = (message) => socket.send(JSON.stringify(message));
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)));
    socket.on('open', () => send({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }));
    socket.on('message', (data) => {
      const text = String(data);
      if (text.startsWith('{"type":"connection_ack"')) {
        arrived();
        send({ id: '1', type: 'subscribe', payload: { query, variables: { id: runId } } });
        return;
      }
      const { sequences } = sequencesIn(text);
      if (!isReady && ++ready === Number(count)) console.log('ready');
      isReady = true;
      if (sequences.length === 0) return;
      arrivals.push([sequences[0], sequences.at(-1), now()]);
      for (const sequence of sequences) {
        if (sequence <= last) doubles += 1;
        else gaps += sequence - last - 1;
        last = Math.max(last, sequence);
      }
      if (last === Number(total)) resolve();
    });
  });
  socket.removeAllListeners('close');
  socket.close();
}

await Promise.all(Array.from({ length: Number(count) }, subscriber));
console.log(JSON.stringify({ arrivals, gaps, doubles }));
