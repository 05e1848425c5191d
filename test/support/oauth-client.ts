import { createHash } from "node:crypto";
import type { ApiAnswer, ApiClient } from "./api-client.ts";
import type { Browser } from "./browser.ts";

/** Where test clients are sent back to. Nothing listens there. */
export const REDIRECT_URI = "http://127.0.0.1:9/callback";

interface Opened {
  request: { id: string; scopes: { value: string }[]; returns_to: string; client_name: string } | null;
  refused: { detail: string; redirect_to: string } | null;
}

/** What the page does when it is opened: shows what the address asks for. */
export const openPage = (who: Browser, address: URL | URLSearchParams): Promise<ApiAnswer<Opened>> =>
  who.change<Opened>("POST", "/api/auth/connected-apps/requests", {
    json: Object.fromEntries(address instanceof URL ? address.searchParams : address),
  });

/** What the page does when its visitor presses a button. */
export const decide = (who: Browser, id: string, json: object) =>
  who.change<{ redirect_to: string }>("POST", `/api/auth/connected-apps/requests/${id}/decide`, { json });

/** Opens the page and allows all that is asked, in the default team or in this one. Returns the address to which the person is sent. */
export async function allow(who: Browser, address: URL | URLSearchParams, team?: string): Promise<URL> {
  const { request, refused } = (await openPage(who, address)).body;
  if (!request) throw new Error(`Refused: ${refused?.detail}`);
  const scopes = request.scopes.map(({ value }) => value);
  const { status, text, body } = await decide(who, request.id, { decision: "allow", scopes, team });
  if (status !== 200) throw new Error(`Not allowed: ${text}`);
  return new URL(body.redirect_to);
}

export const VERIFIER = "a-verifier-of-a-test-which-has-at-least-forty-three-characters";
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  error?: string;
}

/** A client that speaks OAuth by hand, so that it can do it wrong. */
export async function newRawClient(service: ApiClient) {
  const json = { client_name: "Raw client", redirect_uris: [REDIRECT_URI] };
  const { body } = await service.call<{ client_id: string }>("POST", "/oauth/register", { json });
  const clientId = body.client_id;
  const token = (form: Record<string, string>) => service.call<Tokens>("POST", "/oauth/token", { form });
  return {
    clientId,
    /** Parameters of the page; an empty text leaves one out. */
    asking(other: Readonly<Record<string, string>> = {}) {
      const all: Record<string, string> = {
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        response_type: "code",
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
        state: "its-state",
        ...other,
      };
      return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""));
    },
    exchange: (code: string, other: Readonly<Record<string, string>> = {}) =>
      token({
        grant_type: "authorization_code",
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        code,
        code_verifier: VERIFIER,
        ...other,
      }),
    refresh: (refreshToken: string, other: Readonly<Record<string, string>> = {}) =>
      token({ grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken, ...other }),
  };
}
