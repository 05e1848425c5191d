import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { JSON_TYPE, REGISTERED, serveProvider, type ProviderServer } from "./oauth-provider.ts";

export interface VercelServer extends ProviderServer {
  /** Tokens and codes that it gave out. */
  secrets: string[];
  /** Seconds until a token expires; null for never. */
  lifetime: number | null;
  expireTokens(): void;
}

/**
 * The parts of Vercel by which an account is connected: the page where a person agrees, which it skips, the exchange of a code
 * with its PKCE verifier, and the calls that tell of the account. Source: vercel.com/docs, "Sign in with Vercel".
 */
export async function startVercel(): Promise<VercelServer> {
  const codes = new Map<string, URLSearchParams>();
  const tokens = new Set<string>();
  const refreshes = new Set<string>();
  const secrets: string[] = [];
  const secret = (name: string) => {
    const made = `${name}-${randomBytes(16).toString("hex")}`;
    secrets.push(made);
    return made;
  };
  const state = { lifetime: null as number | null };

  function grant() {
    const [token, refresh] = [secret("token"), secret("refresh")];
    tokens.add(token);
    refreshes.add(refresh);
    const expires = state.lifetime === null ? {} : { expires_in: state.lifetime };
    return { access_token: token, refresh_token: refresh, token_type: "Bearer", ...expires };
  }

  async function exchange(request: IncomingMessage) {
    const form = new URLSearchParams(await text(request));
    if (form.get("client_secret") !== REGISTERED.clientSecret) return undefined;
    if (form.get("grant_type") === "refresh_token") {
      return refreshes.delete(form.get("refresh_token") ?? "") ? grant() : undefined;
    }
    const begun = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isSame =
      begun?.get("code_challenge") === challenge && begun.get("redirect_uri") === form.get("redirect_uri");
    return isSame ? grant() : undefined;
  }

  const server = await serveProvider(async (request, response, url) => {
    const answer = (status: number, body: object) =>
      void response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
    if (url.pathname === "/oauth/authorize") {
      const code = secret("code");
      codes.set(code, url.searchParams);
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
    } else if (url.pathname === "/login/oauth/token") {
      const granted = await exchange(request);
      answer(granted ? 200 : 400, granted ?? { error: "invalid_grant" });
    } else if (!tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
      answer(403, { error: { code: "forbidden", message: "Not authorized", invalidToken: true } });
    } else if (url.pathname === "/v9/projects") answer(200, { projects: [], pagination: {} });
    else if (url.pathname === "/v2/user") answer(200, { user: { id: "user_1", username: "ada" } });
    else answer(404, { error: { code: "not_found", message: "Not found" } });
  });
  return {
    ...server,
    secrets,
    get lifetime() {
      return state.lifetime;
    },
    set lifetime(seconds: number | null) {
      state.lifetime = seconds;
    },
    expireTokens: () => tokens.clear(),
  };
}
