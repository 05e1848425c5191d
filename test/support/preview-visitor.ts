import http from "node:http";
import { text } from "node:stream/consumers";
import type { Account, ApiClient } from "./api-client.ts";

interface Visit {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

export type PreviewVisitor = ReturnType<typeof previewVisitor>;

/** A person with a browser, which keeps cookies by host name. All host names lead to the service at `serviceUrl`, as wildcard names would. */
export function previewVisitor(serviceUrl: string) {
  const { port } = new URL(serviceUrl);
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (host: string) => {
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };

  /** Open an address as if following a link, without following redirects. */
  async function open(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Visit> {
    const { hostname, host, pathname, search } = new URL(url);
    const jar = jarOf(hostname);
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join("; ");
    const request = http.request({
      host: "127.0.0.1",
      port,
      method,
      path: pathname + search,
      headers: { host, accept: "text/html", ...(cookie !== "" && { cookie }), ...headers },
    });
    request.end();
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on("response", resolve).on("error", reject);
    });
    for (const line of answer.headers["set-cookie"] ?? []) keep(jar, line);
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
  }

  return {
    open,
    /** Open an address and follow where it leads, as long as that is somewhere else. */
    async follow(url: string): Promise<Visit & { url: string }> {
      let at = url;
      for (let hops = 0; hops < 10; hops += 1) {
        const visit = await open(at);
        const { location } = visit.headers;
        if (location === undefined) return { ...visit, url: at };
        at = new URL(location, at).href;
      }
      throw new Error(`${url} leads round in circles`);
    },
    /** Name and value of what is kept for a host. */
    cookies: jarOf,
  };
}

function keep(jar: Map<string, string>, setCookie: string): void {
  const [, name = "", value = ""] = /^([^=]*)=([^;]*)/u.exec(setCookie) ?? [];
  if (/;\s*max-age=0/iu.test(setCookie)) jar.delete(name);
  else jar.set(name, value);
}

/** A visitor whose browser is signed in to the service. */
export async function signedInVisitor(service: ApiClient, who: Account): Promise<PreviewVisitor> {
  const visitor = previewVisitor(service.url);
  const { headers } = await service.call("POST", "/api/auth/login", { json: who });
  const session = headers.getSetCookie().find((line) => line.startsWith("session="));
  visitor.cookies("127.0.0.1").set("session", /=([^;]*)/u.exec(session ?? "")?.[1] ?? "");
  return visitor;
}
