import type { HttpClient } from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { limitIn, limitSentence } from "#src/lib/remote-rate-limit.ts";
import type { CheckedRemote } from "./remote-url.ts";
import type { GitAnswer, GitTransport } from "./transport.ts";

const MAX_REDIRECTS = 5;
/** The packet that ends a list of packets (gitprotocol-common). */
const FLUSH = "0000";

/**
 * Sends isomorphic-git's requests to one remote. Whatever the repository's configuration says, no other host is
 * contacted, and the credentials go to the remote's own origin only. As in git, the first request may be redirected,
 * and then all others go to the new address. Failures are `AppError`s.
 */
export function remoteHttp(transport: GitTransport, remote: CheckedRemote, signal: AbortSignal): HttpClient {
  const { origin } = new URL(remote.url);
  let base = remote.url;

  async function send(
    url: string,
    method: "GET" | "POST",
    headers: Headers,
    body: Uint8Array<ArrayBuffer> | null,
  ) {
    headers.delete("authorization");
    if (remote.authorization !== undefined && new URL(url).origin === origin) {
      headers.set("authorization", remote.authorization);
    }
    return transport({ url, method, headers: Object.fromEntries(headers), body, signal });
  }

  async function discover(suffix: string, headers: Headers): Promise<GitAnswer> {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await send(`${base}${suffix}`, "GET", headers, null);
      const location = answer.headers.get("location");
      if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
      await answer.body?.cancel();
      const target = URL.parse(location, `${base}${suffix}`)?.href;
      if (!target?.endsWith(suffix)) throw notARepository();
      base = target.slice(0, -suffix.length);
    }
    throw new AppError("unavailable", "The git host redirected too many times");
  }

  return {
    async request({ url, method, headers: given, body }) {
      if (!url.startsWith(`${remote.url}/`)) throw new Error("Git requested an address outside the remote's");
      const suffix = url.slice(remote.url.length);
      const headers = new Headers(given);
      try {
        const answer =
          method === "POST"
            ? await send(`${base}${suffix}`, "POST", headers, body ? await collect(body) : null)
            : await discover(suffix, headers);
        if (answer.status !== 200) {
          await answer.body?.cancel();
          throw refusal(answer, remote.authorization !== undefined);
        }
        return {
          url: `${base}${suffix}`,
          statusCode: 200,
          statusMessage: "OK",
          headers: Object.fromEntries(answer.headers),
          body: await bodyOf(answer, signal),
        };
      } catch (error) {
        throw asFailure(error, signal);
      }
    },
  };
}

function notARepository(): AppError {
  return new AppError("not_found", "There is no git repository at this address");
}

function refusal({ status, headers }: GitAnswer, withCredentials: boolean): AppError {
  const limit = limitIn({ status, headers });
  if (limit) {
    const { seconds } = limit;
    return new AppError("rate_limited", limitSentence("The git host", seconds), {
      retryAfterSeconds: seconds,
    });
  }
  if (status === 401 || status === 403) {
    const sentence = withCredentials
      ? "The git host refused the credentials"
      : "The repository does not exist or is not public: connect your account at the git host";
    return new AppError("unauthenticated", sentence);
  }
  if (status === 413) return new AppError("too_large", "The git host does not accept a push of this size");
  if (status >= 500) return new AppError("unavailable", `The git host returned status ${status}`);
  return notARepository();
}

function asFailure(error: unknown, signal: AbortSignal): AppError {
  if (error instanceof AppError) return error;
  const what = signal.aborted ? "did not answer in time" : "could not be reached";
  return new AppError("unavailable", `The git host ${what}`, { cause: error });
}

/** Packs stream, because they carry a checksum; any other response is used only once its end has arrived. */
async function bodyOf(answer: GitAnswer, signal: AbortSignal): Promise<AsyncIterableIterator<Uint8Array>> {
  const type = answer.headers.get("content-type") ?? "";
  const body = read(answer.body, signal);
  if (!/-advertisement$|receive-pack-result$/u.test(type)) return body;
  const whole = await collect(body);
  const end = new TextDecoder().decode(whole.subarray(-FLUSH.length));
  if (end !== FLUSH) throw new AppError("unavailable", "The git host broke off its response");
  return once(whole);
}

async function* once(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole;
}

async function* read(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const what = signal.aborted ? "took too long" : "broke off its response";
    throw new AppError("unavailable", `The git host ${what}`, { cause: error });
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  // isomorphic-git passes arrays too, which are iterable as well.
  for await (const part of body) parts.push(part);
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let filled = 0;
  for (const part of parts) {
    whole.set(part, filled);
    filled += part.byteLength;
  }
  return whole;
}
