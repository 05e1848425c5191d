/** Longest wait that a host may ask for. */
const LONGEST_SECONDS = 3600;
/** Wait for a host that does not say how long. Source: docs.github.com, "Rate limits for the REST API". */
const USUAL_SECONDS = 60;

/** `Retry-After` in seconds: it is a number of them or a date (RFC 9110, 10.2.3). */
export function retryAfterIn(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/u.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : bounded(seconds);
}

/**
 * The seconds that a git host asks to wait; undefined for an answer that limits nothing. GitHub's 403 is a limit when nothing
 * remains, and when it says how long to wait. GitLab and Bitbucket answer 429; GitLab's headers have no `X-`.
 */
export function limitIn({ status, headers }: Pick<Response, "status" | "headers">, now = Date.now()) {
  if (status !== 403 && status !== 429) return undefined;
  const given = (name: string) => headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`);
  const wait = retryAfterIn(headers.get("retry-after"), now);
  const isUsedUp = given("remaining") === "0";
  if (status === 403 && !isUsedUp && wait === undefined) return undefined;
  const reset = Number(given("reset") ?? Number.NaN);
  const untilReset = isUsedUp && reset > 0 ? bounded(reset - now / 1000) : undefined;
  return { seconds: wait ?? untilReset ?? USUAL_SECONDS };
}

/** The sentence about a limit, with the time at which it ends. */
export function limitSentence(host: string, seconds: number, now = Date.now()): string {
  const end = new Date(now + seconds * 1000).toISOString().slice(11, 16);
  return `${host} accepts no more requests for now: try again after ${end} UTC`;
}

const bounded = (seconds: number) => Math.min(LONGEST_SECONDS, Math.max(0, Math.ceil(seconds)));
