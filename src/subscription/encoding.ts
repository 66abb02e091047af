// Encodes text for links and headers: UTF-8 as base64, and percent-encoding that accepts any text.

/** Most text is of these alone, and is its own UTF-8. */
const ASCII = /^[\n\x20-\x7e]*$/;
/** What stands in a link as it is. */
const UNRESERVED = /^[A-Za-z0-9_.~-]*$/;

/** Base64 of the text's UTF-8, with padding. */
export function toBase64(text: string): string {
  if (ASCII.test(text)) return btoa(text);
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The same in the alphabet of RFC 4648 section 5, without padding: needs no escaping in a link. */
export function toBase64Url(text: string): string {
  return toBase64(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** Percent-encodes everything but unreserved characters; a lone surrogate becomes U+FFFD instead of an exception. */
export function percent(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What stands between the quotes of a string in JSON. */
export function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What stands between the braces of an object in JSON. */
export function jsonMembers(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

/** A host in a link: IPv6 in brackets, an international name in its ASCII form. */
export function linkHost(address: string): string {
  if (address.includes(':')) return `[${address.replace(/^\[|\]$/g, '')}]`;
  return asciiHost(address);
}

/** A name in its ASCII (`xn--`) form; percent-encoded if it has none, so that the link stays valid. */
export function asciiHost(name: string): string {
  if (/^[\x21-\x7e]*$/.test(name)) return name;
  return URL.parse(`https://${percent(name)}/`)?.hostname ?? percent(name);
}
