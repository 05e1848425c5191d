import {
  OAuth2Issuer,
  OAuth2Service,
  type MutableRedirectUri,
  type MutableResponse,
  type MutableToken,
  type TokenRequestIncomingMessage,
} from "oauth2-mock-server";
import { REGISTERED, serveProvider, type ProviderServer } from "./oauth-provider.ts";
import { fieldsOf } from "./fields.ts";

/** What Google says about a person, in an ID token. */
export interface GooglePerson {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  picture?: string;
}

export interface Google extends ProviderServer {
  /** Who agrees at its page. */
  person: GooglePerson;
  /** Claims that its ID tokens have instead of the right ones. */
  claims: Record<string, unknown>;
  /** What becomes of an ID token before it is given out. */
  replace: (idToken: string) => string | undefined;
  /** Secrets that it issued, for tests that search for them where they must not be. */
  secrets: string[];
}

/** A new person, with a verified address. */
export function newGooglePerson(email: string, change: Partial<GooglePerson> = {}): GooglePerson {
  return {
    sub: crypto.randomUUID(),
    email,
    email_verified: true,
    name: "Goo Gle",
    picture: "https://pictures.example.com/a.png",
    ...change,
  };
}

export function asItIs(idToken: string): string | undefined {
  return idToken;
}

/** An OpenID provider: `oauth2-mock-server`, which checks PKCE; here it knows its client and the client's address, too. */
export async function startGoogle(person: GooglePerson): Promise<Google> {
  const issuer = new OAuth2Issuer();
  await issuer.keys.generate("RS256");
  const service = new OAuth2Service(issuer);
  const secrets: string[] = [];
  const grants = new Map<string | undefined, { redirectUri: string; person: GooglePerson }>();

  const server = await serveProvider((request, response) => service.requestHandler(request, response));
  issuer.url = server.url;
  const google: Google = Object.assign(server, { person, claims: {}, replace: asItIs, secrets });

  service.on("beforeAuthorizeRedirect", ({ url }: MutableRedirectUri) => {
    const code = url.searchParams.get("code") ?? "";
    secrets.push(code);
    grants.set(code, { redirectUri: url.origin + url.pathname, person: google.person });
  });
  service.on("beforeTokenSigning", ({ payload }: MutableToken, request: TokenRequestIncomingMessage) => {
    Object.assign(payload, grants.get(request.body.code)?.person, google.claims);
  });
  service.on("beforeResponse", (answer: MutableResponse, request: TokenRequestIncomingMessage) => {
    const { code } = request.body;
    const { client_id, client_secret, redirect_uri } = fieldsOf(request.body);
    const known = client_id === REGISTERED.clientId && client_secret === REGISTERED.clientSecret;
    const grant = grants.get(code);
    grants.delete(code);
    if (!known || grant?.redirectUri !== redirect_uri) {
      answer.statusCode = known ? 400 : 401;
      answer.body = { error: known ? "invalid_grant" : "invalid_client" };
      return;
    }
    const { id_token, access_token, ...rest } = fieldsOf(answer.body);
    answer.body = { ...rest, access_token, id_token: google.replace(String(id_token)) };
    secrets.push(String(access_token), String(id_token));
  });
  return google;
}
