import type { ApiAnswer, ApiClient, ApiRequest } from "./api-client.ts";

/** Something that keeps cookies, as a browser does, and sends nothing else to prove who it is. */
export interface Browser {
  /** What it keeps, by name. */
  cookies: Map<string, string>;
  call<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
  /** As `call`, with the CSRF token that the service gives out for the session. */
  change<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
}

export function browser(service: ApiClient): Browser {
  const cookies = new Map<string, string>();

  async function call<T>(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const answer = await service.call<T>(method, path, {
      ...request,
      headers: { ...(cookie !== "" && { cookie }), ...request.headers },
    });
    for (const line of answer.headers.getSetCookie()) keep(cookies, line);
    return answer;
  }

  return {
    cookies,
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

/** Names and values are tokens here, so nothing is quoted or encoded. */
function keep(cookies: Map<string, string>, setCookie: string): void {
  const [pair = "", ...attributes] = setCookie.split("; ");
  const [name = "", value = ""] = pair.split("=");
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, value);
}
