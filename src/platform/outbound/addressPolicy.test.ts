import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeAddress, judgeHost } from './addressPolicy.js';

const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);

describe('addresses of providers', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '255.255.255.255',
    '224.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'febf:ffff::1',
    'fd00:ec2::254',
    'ff02::1',
    'no address',
  ])('never %s', (address) => {
    expect(judgeAddress(address)).toBe('forbidden');
  });

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '::1',
    '::',
    'fc00::1',
    'fdff::1',
    'fec0::1',
  ])('%s where the operator allows it', (address) => {
    expect(judgeAddress(address)).toBe('private');
  });

  it.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '169.253.1.1',
    '2606:4700::1111',
    '2001:4860:4860::8888',
  ])('%s of the internet', (address) => {
    expect(judgeAddress(address)).toBeNull();
  });

  it('see through every way of wrapping an IPv4 address into an IPv6 one', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const plain = judgeAddress(`${a}.${b}.${c}.${d}`);
        const [high, low] = [hex(a, b), hex(c, d)];
        const wrapped = [
          `::ffff:${high}:${low}`,
          `::ffff:${a}.${b}.${c}.${d}`,
          `::ffff:0:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:4136:e378:8000:63bf:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`,
        ];
        for (const address of wrapped) expect([address, judgeAddress(address)]).toEqual([address, plain]);
      }),
    );
  });

  it.each([
    ['http://2852039166/v1', 'forbidden'],
    ['http://0xa9.0xfe.0xa9.0xfe/v1', 'forbidden'],
    ['http://[::ffff:169.254.169.254]/v1', 'forbidden'],
    ['http://metadata.google.internal./v1', 'forbidden'],
    ['http://0177.0.0.1/v1', 'private'],
    ['http://127.1/v1', 'private'],
    ['http://LOCALHOST:8000/v1', 'private'],
    ['http://model.localhost/v1', 'private'],
    ['https://api.example.org/v1', null],
  ])('are seen in the URL %s', (url, verdict) => {
    expect(judgeHost(new URL(url))).toBe(verdict);
  });
});
