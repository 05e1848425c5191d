import { OAuthFailure } from "./failure.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";

interface ProviderRequest {
  method?: string;
  headers: HeadersInit;
  body?: BodyInit | undefined;
}

/** Sends a request to a provider and reads the whole response. Throws `OAuthFailure`. */
export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>;

/** GitHub refuses requests that do not name themselves, and a Worker's `fetch` does not. */
const MAX_BYTES = 1024 * 1024;
/** Statuses with which a `Response` accepts no body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * `timeoutMs` bounds each request, including its body. Without `allowHttp` an address must be https, even one from the
 * provider's own metadata. Redirects are returned, not followed, so that codes and tokens go nowhere else.
 */
export function createProviderFetch(options: { timeoutMs: number; allowHttp: boolean }): ProviderFetch {
  return async (url, { method = "GET", headers: given, body = null }) => {
    const { protocol, host } = new URL(url);
    if (protocol !== "https:" && !(options.allowHttp && protocol === "http:")) {
      throw new OAuthFailure(`${host} is not an https address`);
    }
    const headers = new Headers(given);
    headers.set("user-agent", USER_AGENT);
    const signal = AbortSignal.timeout(options.timeoutMs);
    try {
      const response = await fetch(url, { method, headers, body, redirect: "manual", signal });
      const whole = await readWhole(response);
      if (whole === undefined) throw new OAuthFailure(`${host} returned more than ${MAX_BYTES} bytes`);
      const contentType = response.headers.get("content-type");
      return new Response(BODILESS.has(response.status) ? null : whole, {
        status: response.status,
        headers: contentType === null ? {} : { "content-type": contentType },
      });
    } catch (error) {
      if (error instanceof OAuthFailure) throw error;
      throw new OAuthFailure(`${host} ${signal.aborted ? "did not answer in time" : "could not be reached"}`);
    }
  };
}

/** `undefined` for a body that is too large. */
async function readWhole(response: Response): Promise<Blob | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return new Blob(parts);
}
