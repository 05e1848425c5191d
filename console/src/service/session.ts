import type { Fetch, FetchInit } from "@agent-workspace/client";
import { noteWait } from "./pace.ts";
import { fetchRenewing } from "./renewal.ts";

/**
 * `fetch` for a person who is signed in, whose session is renewed. Without a session it leads to the sign-in page, which
 * returns here. `send` makes a request.
 */
export async function fetchSignedIn(url: string, init: FetchInit, send: Fetch = fetch): Promise<Response> {
  const response = await fetchRenewing(url, init, send);
  noteWait(response);
  if (response.status === 401) signInFirst();
  return response;
}

function signInFirst(): void {
  const next = `${location.pathname}${location.search}`;
  location.replace(`/login?${new URLSearchParams({ next }).toString()}`);
}
