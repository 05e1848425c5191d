import { expect, it } from "vitest";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { setTier } from "#test/support/tiers.ts";
import { expectAccessibleInViews } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();
const KEYS = "/api/secrets/api-keys";
const REFUSED = "This key does not work: OpenAI answered 401.";
const WORKS = "This key works: OpenAI offers 2 models.";

describeConsole("the first project", () => {
  it("takes a key of a model provider, says whether it works, and begins with a model of it", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: "/projects/new" });
    await expectPage(page.getByText("The demo model follows a script")).toBeVisible();
    await expectPage(page.getByRole("link", { name: /plan/u })).toBeVisible();
    await setTier(databaseOf(service), account.id, "pro");
    await page.reload();

    const models = ["openai/gpt-5", "openai/whisper"];
    const tests = [
      { outcome: "refused", message: REFUSED, models: [] },
      { outcome: "works", message: WORKS, models },
    ];
    // No provider can be asked here: test/models/check-account.test.ts has what they answer.
    await page.route(`**${KEYS}/*/test`, (route) => route.fulfill({ json: tests.shift() }));
    await page.getByLabel("Provider").selectOption("OpenAI");
    await expectAccessibleInViews(page);
    await page.getByLabel("Key", { exact: true }).fill("sk-wrong-0123456789");
    await page.getByRole("button", { name: "Use this key" }).click();
    await expectPage(page.getByText(REFUSED)).toBeVisible();
    await page.getByLabel("Key", { exact: true }).fill("sk-right-0123456789");
    await page.getByRole("button", { name: "Use this key" }).click();
    await expectPage(page.getByText(WORKS)).toBeVisible();
    const stored = await service.call<{ api_keys: object[] }>("GET", KEYS, account);
    expect(stored.body.api_keys).toMatchObject([{ provider: "openai", key_preview: "sk-right..." }]);

    // The list that the service knows, without models that do not chat.
    const model = page.getByLabel("Model");
    await expectPage(model.getByRole("option", { name: "whisper" })).toHaveCount(0);
    await expectPage(model).toHaveValue("openai/gpt-5.4");
    await model.selectOption("gpt-5");
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/chat/agent/stream"));
    await page.route("**/api/chat/agent/stream", (route) => route.fulfill({ body: "" }));
    await page.getByRole("button", { name: "Create project" }).click();
    expect((await sent).postDataJSON()).toMatchObject({ model: "openai/gpt-5" });
    await expectPage(page.getByRole("button", { name: "Model: gpt-5" })).toBeVisible();
  });
});
