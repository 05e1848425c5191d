import type { Account, ApiAnswer, ApiClient, ApiRequest } from "./api-client.ts";

/** Something that keeps cookies, as a browser does, and sends nothing else to prove who it is. */
export interface Browser {
  /** What it keeps, by name. */
  cookies: Map<string, string>;
  /** All of them, as the header has them. */
  cookie(): string;
  call<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
  /** As `call`, with the CSRF token that the service gives out for the session. */
  change<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
}

export function browser(service: ApiClient): Browser {
  const cookies = new Map<string, string>();
  const asHeader = () => Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");

  async function call<T>(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
    const cookie = asHeader();
    const answer = await service.call<T>(method, path, {
      ...request,
      headers: { ...(cookie !== "" && { cookie }), ...request.headers },
    });
    for (const line of answer.headers.getSetCookie()) keep(cookies, line);
    return answer;
  }

  return {
    cookies,
    cookie: asHeader,
    call,
    async change<T>(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
      const { body } = await call<{ csrf_token: string }>("GET", "/api/auth/csrf");
      return call(method, path, {
        ...request,
        headers: { "x-csrf-token": body.csrf_token, ...request.headers },
      });
    },
  };
}

/** A new person, or this one, signed in with a browser; with the token that the answer to it named. */
export async function signedIn(service: ApiClient, person?: Account) {
  const who = browser(service);
  const account = person ?? (await service.signUp());
  const login = await who.call<{ access_token: string }>("POST", "/api/auth/login", { json: account });
  if (login.status !== 200) throw new Error(`Not signed in: ${login.text}`);
  return { account, who, token: login.body.access_token };
}

/** Names and values are tokens here, so nothing is quoted or encoded. */
function keep(cookies: Map<string, string>, setCookie: string): void {
  const [pair = "", ...attributes] = setCookie.split("; ");
  const [name = "", value = ""] = pair.split("=");
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, value);
}
