import type { FetchInit } from "@agent-workspace/client";
import { noteWait } from "./pace.ts";

/** The lock of the account pages: a refresh token is used once, so all tabs of the browser take turns. */
const LOCK = "account.refresh";

/** While one tab renews the session all others wait, so it does not wait for an answer without end. */
const RENEWAL_MS = 30_000;

/**
 * `fetch` for a person who is signed in. An access token that has expired is renewed by one tab at a time, and a tab that
 * waited finds it renewed. Without a session it leads to the sign-in page, which returns here.
 */
export async function fetchSignedIn(url: string, init: FetchInit): Promise<Response> {
  const response = await fetch(url, init);
  noteWait(response);
  if (response.status !== 401) return response;
  const answer = await inTurn(async () => {
    const second = await fetch(url, init);
    if (second.status !== 401) return second;
    const renewal = await renew();
    if (renewal.ok) return undefined;
    // A service that is too busy to renew it has not said that the session is over.
    return renewal.status === 429 || renewal.status >= 500 ? renewal : second;
  });
  // Not in turn: others need not wait for an upload.
  const renewed = answer ?? (await fetch(url, init));
  noteWait(renewed);
  if (renewed.status === 401) signInFirst();
  return renewed;
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

function signInFirst(): void {
  const next = `${location.pathname}${location.search}`;
  location.replace(`/login?${new URLSearchParams({ next }).toString()}`);
}
