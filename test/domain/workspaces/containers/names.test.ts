import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containerUrl, parsePreviewHost, sanitizeName } from "#src/domain/workspaces/containers/index.ts";
import { freeDirectory, freeLabel, freeName } from "#src/domain/workspaces/containers/names.ts";
import { freePort, guessPort } from "#src/domain/workspaces/containers/ports.ts";
import { slugOf } from "#src/lib/slug.ts";

describe("a container's name", () => {
  it("has only letters, digits and hyphens in addresses", () => {
    const names = ["My API", "web_app.v2", "--Über  Café--", "数据"];
    expect(names.map(sanitizeName)).toEqual(["my-api", "web-app-v2", "ber-caf", ""]);
  });

  it("gets numbers where it is taken", () => {
    const taken = [
      { name: "api", label: "api", directory: "api" },
      { name: "api (2)", label: "api-2", directory: "api-2" },
    ];
    expect([
      freeName("api", taken),
      freeLabel("api", "app-a1b2c3", taken),
      freeDirectory("api", taken),
    ]).toEqual(["api (3)", "api-3", "api-3"]);
  });

  it("makes a DNS label with every slug, fifty times over, that is read back as it was", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom("http://localhost:8787", "https://example.com"),
        (title, name, PUBLIC_URL) => {
          const slug = slugOf(title, "project");
          const taken: { name: string; label: string; directory: string }[] = [];
          for (let made = 0; made < 50; made += 1) {
            const label = freeLabel(name, slug, taken);
            taken.push({ name, label, directory: "" });
            const { hostname, port } = new URL(
              containerUrl({ PUBLIC_URL, APP_DOMAIN: "apps.test" }, slug, label),
            );
            expect(hostname.split(".")[0]?.length).toBeLessThanOrEqual(63);
            expect(port).toBe(new URL(PUBLIC_URL).port);
            expect(parsePreviewHost(`${hostname.toUpperCase()}:80`, "Apps.test")).toEqual({ slug, label });
          }
          expect(new Set(taken.map(({ label }) => label)).size).toBe(50);
        },
      ),
      { numRuns: 10 },
    );
  });

  it("is not read from another host", () => {
    const hosts = [
      "apps.test",
      "a.apps.test",
      "a--b--c.apps.test",
      "x.a--b.apps.test",
      "a--b.apps.test.evil",
      "a---b.apps.test",
    ];
    for (const host of hosts) expect(parsePreviewHost(host, "apps.test")).toBeUndefined();
  });
});

it("ports are guessed by name, and the next free one is found", () => {
  const names = ["next", "fastapi", "go", "mongo", "vite", "web"];
  const guesses = (reservedPorts: number[]) => names.map((name) => guessPort(name, { reservedPorts }));
  expect(guesses([])).toEqual([3000, 8000, 8080, 5173, 5173, 5173]);
  expect(guesses([3000, 3001, 8080])).toEqual([3002, 8000, 8081, 5173, 5173, 5173]);
  expect(freePort(null, new Set([3000, 3001]))).toBe(3002);
  expect(freePort(65_535, new Set([65_535]))).toBe(1024);
});
