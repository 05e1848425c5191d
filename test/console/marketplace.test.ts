import { expect, it } from "vitest";
import type { api } from "@agent-workspace/client";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("an item of the marketplace", () => {
  it("shows a person's earlier review, to be changed", async () => {
    const account = await service.signUp();
    const { token } = account;
    const { id, slug } = await listAgent(databaseOf(service));
    const at = `/api/marketplace/agents/${id}`;
    await service.call("POST", `${at}/purchase`, { token });
    await service.call("POST", `${at}/review?rating=2&comment=slow`, { token });
    const { page } = await openPage(service, { account, path: `/marketplace/agents/${slug}` });
    const [rating, text] = [page.getByLabel("Your rating"), page.getByLabel("Your review")];
    await expectPage(rating).toHaveValue("2");
    await expectPage(text).toHaveValue("slow");
    await rating.selectOption("4");
    await text.fill("faster now");
    await page.getByRole("button", { name: "Save review" }).click();
    await expectPage(page.getByRole("region", { name: "Reviews" }).getByRole("listitem")).toContainText(
      "4 of 5faster now",
    );
    await expectPage(rating).toHaveValue("4");
    await expectPage(text).toHaveValue("faster now");
    const { body } = await service.call<api.Reviews>("GET", `${at}/reviews`, { token });
    expect(body).toMatchObject({ total: 1, reviews: [{ rating: 4, comment: "faster now" }] });
  });
});
