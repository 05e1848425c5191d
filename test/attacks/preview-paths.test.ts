import { afterAll, beforeAll, expect, it } from "vitest";
import { previewVisitor } from "#test/support/preview-visitor.ts";
import { startProduction } from "#test/support/production-service.ts";
import type { TestService } from "#test/support/service.ts";
import { newRunningSite } from "#test/support/site.ts";

/** In production, with hosts for previews. */
let service: TestService;
beforeAll(async () => {
  service = await startProduction({ APP_DOMAIN: "previews.example" });
});
afterAll(() => service.close());

it("what users built is not served on the service's own origin where previews have hosts", async () => {
  const { token } = await service.signUp("owner");
  const { id, slug } = await newRunningSite(service, token, { "index.html": "mine" });
  const { body } = await service.call<{ url: string; preview_path: string | null }[]>(
    "GET",
    `/api/projects/${id}/containers`,
    { token },
  );
  const { port } = new URL(service.url);
  const url = `http://${slug}--web.previews.example:${port}`;
  expect(body).toMatchObject([{ url, preview_path: null }]);
  for (const path of ["", "/", "/index.html", "/~token/"]) {
    const answer = await service.call("GET", `/preview/${slug}/web${path}`, { token });
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining("hosts") } });
  }
  const visitor = previewVisitor(service.url);
  const headers = { authorization: `Bearer ${token}` };
  expect(await visitor.open(`${url}/`, headers)).toMatchObject({ status: 200, text: "mine" });
});
