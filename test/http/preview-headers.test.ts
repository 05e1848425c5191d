import { describe, expect, it } from "vitest";
import { toProgram, toVisitor } from "#src/http/preview-headers.ts";

const url = new URL("http://app-abc123--web.example.com:8787/page?x=1");
const to = { url, port: 5173, stripAuthorization: false };

const answer = (...setCookies: string[]) => {
  const headers = new Headers({ "content-type": "text/plain" });
  for (const each of setCookies) headers.append("set-cookie", each);
  return headers;
};

describe("what a program behind a preview is told", () => {
  it("is the visitor's own cookies without ours", () => {
    const cookie =
      "theme=dark; session=secret; refresh_token=secret;csrf_token=secret; preview_session=secret; " +
      "oauth_state=secret; git_oauth_state=secret; preview_nonce=secret; __Host-session=secret; " +
      "framed_session=secret; framed_nonce=secret; __Host-framed_session=secret; " +
      "__Host-refresh_token=secret; __Host-preview_session=secret; sessions=3";
    expect(toProgram(new Headers({ cookie }), to).get("cookie")).toBe("theme=dark; sessions=3");
    expect(toProgram(new Headers({ cookie: "session=secret" }), to).has("cookie")).toBe(false);
    const several = new Headers({ cookie: "theme=dark,blue" });
    several.append("cookie", "session=secret; size=3");
    expect(toProgram(several, to).get("cookie")).toBe("theme=dark,blue; size=3");
  });

  it("is the host that dev servers expect, and where the visitor really is", () => {
    const headers = toProgram(new Headers({ host: url.host, origin: url.origin }), to);
    expect(Object.fromEntries(headers)).toEqual({
      host: "localhost:5173",
      origin: "http://localhost:5173",
      "x-forwarded-host": "app-abc123--web.example.com:8787",
      "x-forwarded-proto": "http",
    });
  });

  it("keeps the origin of another page, so that the program can refuse it", () => {
    const headers = toProgram(new Headers({ origin: "https://elsewhere.example" }), to);
    expect(headers.get("origin")).toBe("https://elsewhere.example");
  });

  it("has the header of a socket's upgrade, and no other of the connection", () => {
    const from = new Headers({
      connection: "Upgrade",
      upgrade: "websocket",
      "keep-alive": "5",
      "sec-websocket-protocol": "vite-hmr",
    });
    const headers = toProgram(from, to);
    expect(headers.get("upgrade")).toBe("websocket");
    expect(headers.get("sec-websocket-protocol")).toBe("vite-hmr");
    expect(headers.has("connection") || headers.has("keep-alive")).toBe(false);
    expect(toProgram(new Headers({ upgrade: "h2c" }), to).has("upgrade")).toBe(false);
  });

  it("holds Authorization only where that was not for us", () => {
    const from = new Headers({ authorization: "Basic abc" });
    expect(toProgram(from, to).get("authorization")).toBe("Basic abc");
    expect(toProgram(from, { ...to, stripAuthorization: true }).has("authorization")).toBe(false);
  });
});

describe("what a program behind a preview tells its visitor", () => {
  it("sets no cookie of ours, and none beyond its host", () => {
    const headers = toVisitor(
      answer(
        "theme=dark; Path=/; Domain=example.com; HttpOnly",
        "session=forged; Domain=example.com",
        " csrf_token =forged",
        "__Host-session=forged; Path=/; Secure",
        "preview_session=forged",
        "framed_session=forged",
        "=session=forged",
        "a=b; domain",
        "c=d;DOMAIN=.example.com;Secure",
      ),
      { cookies: true },
    );
    expect(headers.getSetCookie()).toEqual(["theme=dark; Path=/; HttpOnly", "a=b", "c=d;Secure"]);
    expect(headers.get("content-type")).toBe("text/plain");
  });

  it("sets none at all where cookies cannot be told from ours", () => {
    expect(toVisitor(answer("theme=dark"), { cookies: false }).getSetCookie()).toEqual([]);
  });

  it("binds the browser to nothing for the whole domain", () => {
    const headers = toVisitor(
      new Headers({
        "strict-transport-security": "max-age=1; includeSubDomains",
        "clear-site-data": '"cookies"',
        "alt-svc": "h3",
        nel: '{"report_to":"spy","max_age":86400,"success_fraction":1}',
        "report-to": '{"group":"spy","endpoints":[{"url":"https://spy.example"}]}',
        "reporting-endpoints": 'spy="https://spy.example"',
        connection: "close",
        etag: '"1"',
      }),
      { cookies: true },
    );
    expect(Object.fromEntries(headers)).toEqual({ etag: '"1"' });
  });
});
