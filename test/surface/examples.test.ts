import { describe, expect, it } from "vitest";
import { z } from "zod";
import { signUpAdministrator } from "#test/support/administrators.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { addressOf, newEstate, newSharedEstate, type Estate } from "./estate.ts";
import { withRepository } from "./project-parts.ts";
import { operationsOf, readDocument, validatorOf, type Operation } from "./operations.ts";

const service = sharedService();
const document = await readDocument(service);
const operations = operationsOf(document).filter(({ isAlias }) => !isAlias);

describe("examples", () => {
  it("are there for every required parameter and every body", () => {
    const without = operations.flatMap(({ name, parameters, requestBody }) => [
      ...parameters
        .filter(({ required, example }) => required && example === undefined)
        .map((parameter) => `${name}: ${parameter.name}`),
      ...Object.values(requestBody?.content ?? {})
        .filter(({ example }) => example === undefined)
        .map(() => `${name}: body`),
    ]);
    expect(without).toEqual([]);
  });

  it("have the form that the document asks for", () => {
    const all = operations.flatMap(({ name, parameters, requestBody }) =>
      [...parameters, ...Object.values(requestBody?.content ?? {})].flatMap(({ schema, example }, place) =>
        example === undefined ? [] : [{ place: `${name} ${place}`, schema, example }],
      ),
    );
    // One schema for all: a schema of its own for each would be given all components of the document.
    const properties = Object.fromEntries(all.map(({ place, schema }) => [place, schema]));
    const examples = Object.fromEntries(all.map(({ place, example }) => [place, example]));
    const parsed = validatorOf(document, { type: "object", properties }).safeParse(examples);
    expect(parsed.error && z.prettifyError(parsed.error)).toBeUndefined();
    expect(all.length).toBeGreaterThan(300);
  });
});

const admin = await signUpAdministrator(service);
const estate = await newSharedEstate(service);
/** Another one, with a git repository. */
const repository = await withRepository(service, await newEstate(service));
await service.call("POST", `/api/projects/${String(repository.samples["project"])}/files/save`, {
  token: repository.owner.token,
  json: { file_path: "changed.txt", content: "changed" },
});

const tokenFor = ({ person, permission }: Operation, { key, owner }: Estate) => {
  if (!person) return key;
  return permission === "superuser" ? admin.token : owner.token;
};

/** Only ids are replaced: by those of what exists here. */
function withSamples(example: object, { samples }: Estate): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      z.uuid().safeParse(value).success ? (samples[name] ?? value) : value,
    ]),
  );
}

/**
 * Refusals of examples that are well-formed: they stand for a secret that was never given out, for what another service has made, or
 * for a state that the estate is not in.
 */
const REFUSED: Readonly<Record<string, RegExp>> = {
  resendLoginCode: /^401: .*verification session/u,
  getDeviceToken: /^400: .*device code is unknown/u,
  refreshDeviceSession: /^401: /u,
  openAppRequest: /^400: .*not registered/u,
  getMcpToken: /^400: .*code is unknown/u,
  lookUpDeviceSignIn: /^404: .*Unknown code/u,
  decideDeviceSignIn: /^404: .*Unknown code/u,
  verifyLoginCode: /^401: .*verification session/u,
  confirmMyAuthenticator: /^(400|409): /u,
  renewMyRecoveryCodes: /^400: .*code is wrong/u,
  turnOffMyAuthenticator: /^400: .*code is wrong/u,
  signInWithPasskey: /^400: .*begun in another browser/u,
  addMyPasskey: /^400: .*begun in another browser/u,
  turnOffAuthenticator: /^taken$|^409: .*no authenticator app/u,
  resetPassword: /^400: .*RESET_PASSWORD_BAD_TOKEN/u,
  verifyEmail: /^400: .*VERIFY_USER_BAD_TOKEN/u,
  exchangePairingToken: /^401: .*Pairing token/u,
  previewGatewayPairing: /^404: .*pairing code/u,
  verifyGatewayPairing: /^404: .*pairing code/u,
  purchaseItem: /^404: .*Agent not found/u,
  verifyPurchase: /^404: .*no such checkout/u,
  verifyCheckout: /^400: .*no such checkout/u,
  beginProjectAnew: /^409: .*has its files/u,
  addProjectMember: /^404: .*not a member/u,
  setContainerCredentials: /^400: .*Only external containers/u,
  subscribe: /^400: .*has the tier/u,
  deleteFile: /^404: .*no such file/u,
  allowStdioServer: /^404: .*Project not found/u,
  // The shell may have been stopped with its project, or not yet.
  writeToShell: /^taken$|^409: .*session is over/u,
  cloneGitRepository: /^409: .*being cloned|^503: .*git host/u,
  // The commit is made before its push fails, so that nothing is left for the next one.
  createGitCommit: /^409: .*nothing to commit/u,
  commitAndPushGit: /^(502|503): .*git host/u,
  pushGitBranch: /^(502|503): .*git host/u,
  pullGitBranch: /^(502|503): .*git host/u,
  createDeployment: /^503: .*Netlify/u,
  deployProject: /^503: .*Netlify/u,
  deployContainer: /^503: .*Netlify/u,
};

/** Its token is shown to the host: test/journeys/git-providers.test.ts has one on this machine. */
const AT_A_HOST = "connectGitHostByToken";

it("the example of each operation is what the service takes, or refuses for a reason that is known", async () => {
  const taking = operations.filter(
    ({ requestBody, operationId }) => requestBody && operationId !== AT_A_HOST,
  );
  for (const operation of taking) {
    const content = new Map(Object.entries(operation.requestBody?.content ?? {}));
    const inJson = content.get("application/json");
    const [example] = content.values();
    const isOfGit = /\/git\/(?!clone)/u.test(operation.template);
    const world = isOfGit ? repository : estate;
    const body = withSamples(fieldsOf(example?.example ?? {}), world);
    const answer = await service.call(operation.method, addressOf(operation, world.samples), {
      ...(!operation.isPublic && { token: tokenFor(operation, world) }),
      ...(inJson ? { json: body } : { form: z.record(z.string(), z.string()).parse(body) }),
    });
    const outcome = answer.status < 400 ? "taken" : `${answer.status}: ${answer.text}`;
    const { operationId, responses } = operation;
    expect([operationId, outcome]).toEqual([
      operationId,
      expect.stringMatching(REFUSED[operationId] ?? /^taken$/u),
    ]);
    expect([operationId, String(answer.status) in responses]).toEqual([operationId, true]);
  }
});
