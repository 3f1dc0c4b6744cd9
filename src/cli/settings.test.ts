import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

describe('where the service is, and the key', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'assay-settings-'));
    writeFileSync(join(dataDir, 'admin.key'), 'assay_from-file\n');
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it('comes from options, then the environment, then the key file of the data folder', () => {
    const env = { ASSAY_URL: 'http://127.0.0.1:5000', ASSAY_API_KEY: 'assay_env', ASSAY_DATA_DIR: dataDir };
    expect(readSettings({ url: 'http://localhost:6000', apiKey: 'assay_option' }, env)).toEqual({
      url: 'http://localhost:6000',
      apiKey: 'assay_option',
    });
    expect(readSettings({}, env)).toEqual({ url: 'http://127.0.0.1:5000', apiKey: 'assay_env' });
    expect(readSettings({}, { ASSAY_DATA_DIR: dataDir })).toEqual({
      url: 'http://127.0.0.1:4000',
      apiKey: 'assay_from-file',
    });
  });

  it('takes an empty variable as none', () => {
    const env = { ASSAY_URL: '', ASSAY_API_KEY: '', ASSAY_DATA_DIR: dataDir };
    expect(readSettings({}, env).apiKey).toBe('assay_from-file');
  });

  it('forgives the path of the GraphQL endpoint and a slash', () => {
    const url = (text: string) => readSettings({ url: text, apiKey: 'k' }, {}).url;
    expect(url('http://127.0.0.1:4000/graphql')).toBe('http://127.0.0.1:4000');
    expect(url('https://assay.example/team/')).toBe('https://assay.example/team');
  });

  it('never sends the key file of this machine to another one', () => {
    expect(() => readSettings({ url: 'https://assay.example' }, { ASSAY_DATA_DIR: dataDir })).toThrow(
      'No API key for https://assay.example. Set ASSAY_API_KEY',
    );
  });

  it('says how to get a key when there is none, and what a URL looks like', () => {
    expect(() => readSettings({}, { ASSAY_DATA_DIR: join(dataDir, 'nowhere') })).toThrow(/npm start/);
    expect(() => readSettings({ url: 'localhost:4000' }, {})).toThrow(/Not a URL of a service: localhost:4000/);
  });
});
