import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  emailVerification,
  loginCode,
  passwordReset,
  teamInvitation,
} from "#src/domain/operations/mail/index.ts";
import { anyText } from "#test/support/any-text.ts";

const link = "https://console.test/invite/abc?x=1&y=2";
const invite = (names: { teamName?: string; inviterName?: string }) =>
  teamInvitation({ link, teamName: "Crew", inviterName: "Ann", days: 7, ...names });

describe("the mails", () => {
  it("show a code on a line of its own, and how long it is good for", () => {
    const { subject, text, html } = loginCode({ code: "012345", minutes: 10 });
    expect(text.split("\n")).toContain("012345");
    expect(text).toContain("10 minutes");
    expect(html).toContain(">012345<");
    expect(subject).not.toContain("012345");
  });

  it.each([
    passwordReset({ link, hours: 1 }),
    emailVerification({ link }),
    teamInvitation({ link, teamName: "Crew", inviterName: "Ann", days: 7 }),
  ])("show the link of $subject on a line of its own, and to click on", ({ text, html }) => {
    expect(text.split("\n")).toContain(link);
    expect(html).toContain('href="https://console.test/invite/abc?x=1&amp;y=2"');
  });

  it("let no name become markup, a line or a link, and cut long ones", () => {
    expect(invite({})).toMatchObject({
      subject: 'Invitation to the team "Crew"',
      text: expect.stringContaining('Ann invites you to the team "Crew"'),
    });
    const { subject, text, html } = invite({
      teamName: '<img src=x onerror="alert(1)">\r\nBcc: eve@evil.test',
      inviterName: "Visit https://evil.test/login or evil.test\u202e",
    });
    expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; Bcc");
    expect(subject).not.toMatch(/\p{Cc}/u);
    expect(text + html + subject).not.toMatch(/evil\.test|https:\/\/(?!console\.test)|eve@e|\u202e/u);
    expect(invite({ teamName: "x".repeat(100) }).subject).toContain(`"${"x".repeat(59)}…"`);
  });

  it("invite without a name when the inviter's name is invisible", () => {
    expect(invite({ inviterName: "\u200b\u202e " }).text).toContain("Someone invites you");
  });

  it("have the same lines and elements whatever the names are", () => {
    const shape = ({ text, html, subject }: ReturnType<typeof invite>) => [
      text.split(/[\r\n\u0085\u2028\u2029]/u).length,
      (html.match(/[<>"']/gu) ?? []).length,
      subject.split(/[\r\n\u0085\u2028\u2029]/u).length,
    ];
    const plain = shape(invite({}));
    const name = anyText({ maxLength: 200 });
    fc.assert(
      fc.property(name, name, (teamName, inviterName) => {
        expect(shape(invite({ teamName, inviterName }))).toEqual(plain);
      }),
    );
  });
});
