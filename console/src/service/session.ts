import type { FetchInit } from "@agent-workspace/client";
import { noteWait } from "./pace.ts";

/** The lock of the account pages: a refresh token is used once, so all tabs of the browser take turns. */
const LOCK = "account.refresh";

/**
 * `fetch` for a person who is signed in. An access token that has expired is renewed by one tab at a time, and a tab that
 * waited finds it renewed. Without a session it leads to the sign-in page, which returns here.
 */
export async function fetchSignedIn(url: string, init: FetchInit): Promise<Response> {
  const response = await fetch(url, init);
  noteWait(response);
  if (response.status !== 401) return response;
  const renewed = await inTurn(async () => {
    const second = await fetch(url, init);
    if (second.status !== 401 || !(await renew())) return second;
    return fetch(url, init);
  });
  if (renewed.status === 401) signInFirst();
  return renewed;
}

async function renew(): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  const { ok } = await fetch("/api/auth/refresh", { method: "POST", headers, body: "{}" });
  return ok;
}

/** Pages without TLS have no locks. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return "locks" in navigator ? navigator.locks.request(LOCK, work) : work();
}

function signInFirst(): void {
  const next = `${location.pathname}${location.search}`;
  location.replace(`/login?${new URLSearchParams({ next }).toString()}`);
}
