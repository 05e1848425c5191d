import { describe, expect, it } from "vitest";
import { addressOf } from "#src/http/client.ts";

/** A request as the Worker sees it; `peer` is what workerd's own socket says. */
function request(headers: Record<string, string>, peer?: string): Request {
  const cf = peer === undefined ? { colo: "AMS" } : { clientIp: peer };
  return Object.assign(new Request("http://service.test/", { headers }), { cf });
}

/** Everything a client may write itself. */
const forged = {
  "CF-Connecting-IP": "6.6.6.6",
  "X-Forwarded-For": "6.6.6.6",
  "X-Real-IP": "6.6.6.6",
  "True-Client-IP": "6.6.6.6",
  Forwarded: "for=6.6.6.6",
};

describe("the client's address", () => {
  it("is the peer of the socket, whatever the client says", () => {
    expect(addressOf(request(forged, "203.0.113.7:49152"), 0)).toBe("203.0.113.7");
    expect(addressOf(request({}, "127.0.0.1:49152"), 0)).toBe("127.0.0.1");
  });

  it("has one spelling on a socket that takes both kinds of addresses", () => {
    expect(addressOf(request({}, "[::ffff:203.0.113.7]:49152"), 0)).toBe("203.0.113.7");
    expect(addressOf(request({}, "[2001:db8::7]:49152"), 0)).toBe("2001:db8::7");
  });

  it("is what Cloudflare's edge names, where there is no socket of our own", () => {
    const headers = { ...forged, "CF-Connecting-IP": "2001:DB8::7" };
    expect(addressOf(request(headers), 0)).toBe("2001:db8::7");
  });

  it("is unknown where no trusted proxy names one", () => {
    expect(addressOf(request({ "X-Forwarded-For": "6.6.6.6" }), 0)).toBe("unknown");
    expect(addressOf(request({ "CF-Connecting-IP": "6.6.6.6.6" }), 0)).toBe("unknown");
    expect(addressOf(request(forged, "somebody"), 0)).toBe("unknown");
    expect(addressOf(new Request("http://service.test/"), 0)).toBe("unknown");
  });
});

describe("behind trusted proxies", () => {
  const peer = "127.0.0.1:49152";

  it("is what the outermost of them saw; what is left of it may be made up", () => {
    const one = { ...forged, "X-Forwarded-For": "6.6.6.6, 203.0.113.7" };
    expect(addressOf(request(one, peer), 1)).toBe("203.0.113.7");
    const two = { "X-Forwarded-For": "6.6.6.6,203.0.113.7:1234, 10.0.0.1" };
    expect(addressOf(request(two, peer), 2)).toBe("203.0.113.7");
  });

  it("is the peer where the request did not come through all of them", () => {
    expect(addressOf(request({}, "203.0.113.7:49152"), 1)).toBe("203.0.113.7");
    expect(addressOf(request({ "X-Forwarded-For": "6.6.6.6" }, "203.0.113.7:49152"), 2)).toBe("203.0.113.7");
  });

  it("is unknown where the proxy did not know it", () => {
    expect(addressOf(request({ "X-Forwarded-For": "6.6.6.6, unknown" }, peer), 1)).toBe("unknown");
    expect(addressOf(request({ "X-Forwarded-For": "6.6.6.6," }, peer), 1)).toBe("unknown");
  });
});
