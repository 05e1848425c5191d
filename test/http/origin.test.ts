import { describe, expect, it } from "vitest";
import { isOwnHost, isOwnOrigin, isTrustedOrigin } from "#src/http/origin.ts";

const config = {
  ENVIRONMENT: "production" as const,
  PUBLIC_URL: "https://api.example",
  APP_BASE_URL: "https://console.example/app",
  APP_DOMAIN: "previews.example",
  CORS_ORIGINS: undefined,
};
const development = { ...config, ENVIRONMENT: "development" as const };
const trusted = (origins: readonly string[], settings: Parameters<typeof isTrustedOrigin>[1]) =>
  origins.filter((origin) => isTrustedOrigin(origin, settings));

const LOCAL = ["http://localhost:3000", "http://127.0.0.1:5173", "http://localhost"];

describe("the origins whose pages may act for their visitor", () => {
  it("are those of the service, the console and the desktop shell", () => {
    const own = ["https://api.example", "https://console.example", "tauri://localhost"];
    const others = ["http://api.example", "https://api.example:8443", "https://x.api.example", "null"];
    expect(trusted([...own, ...others, ...LOCAL], config)).toEqual(own);
  });

  it("are usual development servers', too, outside production", () => {
    expect(trusted([...LOCAL, "http://localhost:3001"], development)).toEqual(LOCAL);
  });

  it("are those of CORS_ORIGINS instead where it is set", () => {
    const CORS_ORIGINS = ["https://admin.example", "http://localhost:4200"];
    expect(trusted([...CORS_ORIGINS, ...LOCAL], { ...development, CORS_ORIGINS })).toEqual(CORS_ORIGINS);
    expect(trusted(CORS_ORIGINS, { ...config, CORS_ORIGINS })).toEqual(CORS_ORIGINS);
  });

  it("are one's own machine's under both its names, outside production", () => {
    const both = ["http://localhost:8787", "http://127.0.0.1:8787"];
    const PUBLIC_URL = "http://127.0.0.1:8787";
    expect(trusted(both, { ...development, PUBLIC_URL })).toEqual(both);
    expect(trusted(both, { ...config, PUBLIC_URL })).toEqual([PUBLIC_URL]);
  });
});

describe("a page on the host that is asked", () => {
  it.each([
    ["https://other.example", "https://other.example/x", true],
    ["https://other.example", "http://other.example/x", true],
    ["http://other.example", "http://other.example/x", true],
    ["http://other.example", "https://other.example/x", false],
    ["https://other.example:8443", "https://other.example/x", false],
    ["https://a--b.previews.example", "https://a--b.previews.example/x", false],
  ])("of %s may act for its visitor at %s: %s", (origin, url, may) => {
    expect(isOwnOrigin(origin, url, config)).toBe(may);
  });
});

it.each([
  ["https://api.example/mcp", true],
  ["https://console.example/mcp", true],
  ["http://127.0.0.1:8787/mcp", true],
  ["http://localhost/mcp", true],
  ["https://api.example:8443/mcp", false],
  ["https://a--b.previews.example/mcp", false],
  ["http://localhost.evil.example/mcp", false],
])("a request to %s names a host of the service: %s", (url, is) => {
  expect(isOwnHost(new URL(url), config)).toBe(is);
});
