import { describe, expect, it } from "vitest";
import { some } from "#test/support/draw.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { addressOf, estatesOf, smallestBody, type Estate } from "#test/surface/estate.ts";
import { operationsOf, readDocument, type Operation } from "#test/surface/operations.ts";
import { foreignRequests } from "./support/foreign-requests.ts";

// Read while the tests are collected: every documented operation is a test.
const service = sharedService();
const document = await readDocument(service);
const operations = operationsOf(document).filter(({ isAlias }) => !isAlias);
const estateFor = estatesOf(service);
const foreign = await foreignRequests(service, document);
const before = await foreign.holdings();

/** Statuses of a caller who is not admitted. An admitted request may still be invalid otherwise, such as 422. */
const REFUSALS = [401, 403, 404, 405];

/** How a key is answered that has no permissions but those which are published for the operation. */
async function statusForKey(operation: Operation, { owner, samples }: Estate) {
  const { scopes, method } = operation;
  const made = await service.call<{ id: string; key: string }>("POST", "/api/external-api-keys", {
    token: owner.token,
    json: { name: "one permission", scopes: scopes.length > 0 ? scopes : null },
  });
  const json = smallestBody(document, operation, samples);
  const address = addressOf(operation, samples);
  const { status } = await service.call(method, address, { token: made.body.key, ...(json && { json }) });
  // Ten keys are the most that one may have, and many operations share an owner.
  await service.call("DELETE", `/api/external-api-keys/${made.body.id}`, { token: owner.token });
  return status;
}

describe("another person's resource does not exist for a stranger, wherever the request names it", () => {
  it.concurrent.each(operations)("at $name", async (operation) => {
    expect(await foreign.faultsByCaller(operation)).toEqual([]);
  });
});

/** Operations of one group need the same things; each group is tried in each run, and all of its operations in a long one. */
const groups = Map.groupBy(operations, ({ method, tags }) => `${method === "GET"} ${tags.join()}`);
const whole = [...groups.values()].flatMap((group, salt) => some(group, Math.ceil(group.length / 5), salt));

/**
 * Two checks on one estate, which takes long to make. Another person's resource does not exist in any place of one's own
 * request. A key with only the published permissions is admitted by the unchanged request, so that the foreign names alone were
 * the reason of the refusals. That all examples are taken is proven by test/surface/examples.test.ts.
 */
describe("reaches no resource of another person, and admits the caller's own", () => {
  it.concurrent.each(whole)("$name", async (operation) => {
    const own = await estateFor(operation);
    expect(await foreign.faultsByPlace(operation, own)).toEqual([]);
    const byKey = operation.keys ? await statusForKey(operation, own) : undefined;
    expect(REFUSALS).not.toContain(byKey);
  });
});

it("leaves the victim's rows and files as they were", async () => {
  expect(await foreign.holdings()).toEqual(before);
});
