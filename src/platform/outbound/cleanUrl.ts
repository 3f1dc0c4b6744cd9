import { InvalidInput } from '../../errors.js';
import { refusalOf } from './addressGuard.js';

/**
 * An address that this service is to call, as a person typed it: http or https, without credentials, and not one that
 * is never called. Throws InvalidInput at `path`.
 *
 * @param example what such an address looks like
 * @param instead of writing credentials into it
 */
export function cleanUrl(text: string, path: string[], example: string, instead: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInput(`must be an http or https URL such as ${example}`, path);
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInput(`must not hold credentials: ${instead}.`, path);
  }
  // Names are resolved, and their addresses checked, whenever a connection is made.
  const refusal = refusalOf(url);
  if (refusal !== null) throw new InvalidInput(refusal, path);
  return url;
}
