import { expect, it } from "vitest";
import { endpoints } from "#src/routes/index.ts";

/** Changes of files and of the repository, and the endpoint that does nothing else, record the activity themselves. */
const RECORDS_ITSELF = /^\/api\/projects\/:project\/(files|git|activity)(\/|$)/u;

it("every change of a project that records no activity itself counts as activity", () => {
  const changes = endpoints.filter(
    ({ method, path }) =>
      method !== "get" && /^\/api\/projects\/:project(\/|$)/u.test(path) && !RECORDS_ITSELF.test(path),
  );
  const uncounted = changes.filter(({ countsAsActivity }) => !countsAsActivity);
  expect(uncounted.map(({ operationId }) => operationId)).toEqual(["deleteProject"]);
});

it("nothing else does: the activity is that of the project in the path", () => {
  const counted = endpoints.filter(({ countsAsActivity }) => countsAsActivity);
  expect(counted.filter(({ path }) => !path.includes("/:project"))).toEqual([]);
});
