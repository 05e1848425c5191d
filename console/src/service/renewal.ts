import type { Fetch, FetchInit } from "@agent-workspace/client";

/** A refresh token is used once, so all tabs of the browser take turns. */
const LOCK = "account.refresh";

/** While one tab renews the session all others wait, so it does not wait for an answer without end. */
const RENEWAL_MS = 30_000;

/**
 * `fetch` for a person who is signed in. An access token that has expired is renewed by one tab at a time, and a tab that
 * waited finds it renewed. Answers 401 without a session. `send` makes a request.
 */
export async function fetchRenewing(url: string, init: FetchInit, send: Fetch = fetch): Promise<Response> {
  const response = await send(url, init);
  if (response.status !== 401) return response;
  const answer = await inTurn(async () => {
    const second = await send(url, init);
    if (second.status !== 401) return second;
    const renewal = await renew();
    if (renewal.ok) return undefined;
    // A service that is too busy to renew it has not said that the session is over.
    return renewal.status === 429 || renewal.status >= 500 ? renewal : second;
  });
  // Not in turn: others need not wait for an upload.
  return answer ?? send(url, init);
}

function renew(): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(RENEWAL_MS);
  return fetch("/api/auth/refresh", { method: "POST", headers, body: "{}", signal });
}

/** Pages without TLS have no locks. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return "locks" in navigator ? navigator.locks.request(LOCK, work) : work();
}
