import { BlockList, isIP } from 'node:net';

/** Why an address is not connected to; null: it may be. */
export type AddressVerdict = 'private' | 'forbidden' | null;

type Range = readonly [address: string, prefix: number];

/**
 * Never: link-local addresses and those at which clouds hand out credentials to their machines, and what is no
 * address of one machine at all.
 */
const forbiddenRanges: readonly Range[] = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['fd00:42::42', 128],
  ['ff00::', 8],
];

/** Only where the operator allows them: this machine and networks that are not the internet. */
const privateRanges: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['::', 127],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fec0::', 10],
];

const forbidden = blockList(forbiddenRanges);
const privates = blockList(privateRanges);

function blockList(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** What an IP address is, whichever way an IPv4 address is wrapped into it. Something that is none is forbidden. */
export function judgeAddress(address: string): AddressVerdict {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 0) return 'forbidden';
  const type = version === 6 ? 'ipv6' : 'ipv4';
  if (forbidden.check(plain, type)) return 'forbidden';
  if (privates.check(plain, type)) return 'private';
  const inner = version === 6 ? embeddedIPv4(plain) : null;
  return inner === null ? null : judgeAddress(inner);
}

/** The IPv4 address that an IPv6 one leads to: mapped, compatible, NAT64, 6to4 or Teredo; null for none. */
function embeddedIPv4(address: string): string | null {
  const words = wordsOf(address);
  const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const word = (at: number): number => words[at] ?? 0;
  const startsWith = (...head: number[]): boolean => head.every((value, at) => word(at) === value);
  if (startsWith(0, 0, 0, 0, 0) && (word(5) === 0 || word(5) === 0xffff)) return dotted(word(6), word(7));
  // IPv4-translated, ::ffff:0:a.b.c.d
  if (startsWith(0, 0, 0, 0, 0xffff, 0)) return dotted(word(6), word(7));
  if (startsWith(0x64, 0xff9b)) return dotted(word(6), word(7));
  if (startsWith(0x2002)) return dotted(word(1), word(2));
  if (startsWith(0x2001, 0)) return dotted(word(6) ^ 0xffff, word(7) ^ 0xffff);
  return null;
}

/** The eight 16-bit words of a valid IPv6 address. */
function wordsOf(address: string): number[] {
  // The URL parser writes it in hex only, without a dotted end.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [front, back] = [parse(head), parse(tail ?? '')];
  return tail === undefined ? front : [...front, ...Array(8 - front.length - back.length).fill(0), ...back];
}

/** What the host of a URL is, as far as that can be said without asking a name server. */
export function judgeHost(url: URL): AddressVerdict {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return judgeAddress(host);
  if (host === 'localhost' || host.endsWith('.localhost')) return 'private';
  return host === 'metadata.google.internal' ? 'forbidden' : null;
}
