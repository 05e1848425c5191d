import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("a session of the console", () => {
  it("begins on the sign-in page: the first page leads a visitor there without the console, and nothing is refused", async () => {
    const { page } = await openPage(service, { path: null });
    const answers: string[] = [];
    page.on("response", (response) => answers.push(`${response.status()} ${response.url()}`));
    // The last that the page asks for.
    const last = page.waitForResponse("**/api/feature-flags");
    await page.goto("/");
    await last;
    expect(page.url()).toBe(`${service.url}/login`);
    await expectPage(page.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
    expect(answers.filter((answer) => !/^(?:200|303) /u.test(answer))).toEqual([]);
    expect(answers.filter((answer) => answer.endsWith("/app"))).toEqual([]);
  });

  it("is renewed once for two tabs, leaves no token in their storage, and leads to the sign-in page once it has ended", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { path: null, mayComplain: true });
    const context = page.context();
    const { username, password } = account;
    await page.request.post("/api/auth/login", { data: { username, password } });
    await page.goto("/app/keys");
    const other = await context.newPage();
    await other.goto("/app/runs");
    await expectPage(other.getByRole("heading", { name: "Tasks", exact: true })).toBeVisible();

    const renewals: number[] = [];
    context.on("response", (response) => {
      if (response.url().endsWith("/api/auth/refresh")) renewals.push(response.status());
    });
    await context.clearCookies({ name: /session/u });
    await Promise.all([page.reload(), other.reload()]);
    await expectPage(page.getByRole("heading", { name: "API keys", exact: true })).toBeVisible();
    await expectPage(page.getByText(account.username)).toBeVisible();
    await expectPage(other.getByText(account.username)).toBeVisible();
    await expect.poll(() => renewals).toEqual([200]);
    const stored = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    expect(stored).not.toMatch(/eyJ|refresh/u);

    await context.clearCookies();
    await page.reload();
    await page.waitForURL((url) => url.pathname === "/login");
    await expectPage(page.getByRole("heading")).toHaveText("Sign in");
  });
});
