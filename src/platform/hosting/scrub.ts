const MAX_REASON = 300;
/** Shorter values, such as `1` or `on`, occur in any sentence. */
const MIN_SECRET = 4;

/**
 * Returns a function that removes secrets from a provider's text: as they are, and as JSON and addresses write them. The
 * longest go first, because one may contain another.
 */
export function createScrub(secrets: readonly string[]): (text: string) => string {
  const needles = secrets
    .flatMap((secret) => (secret.length < MIN_SECRET ? [] : formsOf(secret)))
    .toSorted((one, other) => other.length - one.length);
  return (text) => needles.reduce((scrubbed, needle) => scrubbed.replaceAll(needle, "[hidden]"), text);
}

function formsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

/** A provider's reason as part of a sentence: without secrets, on one line, of bounded length. */
export function reasonOf(text: string, scrub: (text: string) => string): string {
  return scrub(text).replaceAll(/\s+/gu, " ").trim().slice(0, MAX_REASON);
}
