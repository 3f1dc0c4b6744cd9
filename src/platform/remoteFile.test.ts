import { describe, expect, it } from '@jest/globals';
import { redirected } from './remoteFile.js';

const secure = new URL('https://files.example.org/a/b');

describe('a redirect', () => {
  it.each([
    ['c', 'https://files.example.org/a/c'],
    ['//store.example.net/b?signature=x', 'https://store.example.net/b?signature=x'],
    ['https://store.example.net/b', 'https://store.example.net/b'],
  ])('to %s is followed', (location, target) => {
    expect(redirected(secure, location).href).toBe(target);
  });

  it.each(['http://files.example.org/b', 'file:///b', 'https://name:word@files.example.org/b', 'https://'])(
    'to %s is not',
    (location) => {
      expect(() => redirected(secure, location)).toThrow(expect.objectContaining({ reason: 'redirect', again: false }));
    },
  );

  it('may stay on http where it began there', () => {
    expect(redirected(new URL('http://localhost/a'), '/b').href).toBe('http://localhost/b');
  });
});
