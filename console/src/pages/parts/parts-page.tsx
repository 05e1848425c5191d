import type { ConversationCall } from "@agent-workspace/client";
import { Inbox, Pencil, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { ActionButton } from "../../parts/action-button.tsx";
import { ApprovalCard, type Question } from "../../parts/agent/approval-card.tsx";
import { ToolLine } from "../../parts/agent/tool-line.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Avatar } from "../../parts/avatar.tsx";
import { Badge, State } from "../../parts/badge.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { UnifiedDiff } from "../../parts/diff/unified-diff.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice, LinesField, TextField } from "../../parts/fields.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu, MenuButton } from "../../parts/menu.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { toast } from "../../parts/toast.tsx";

const HOUR_MS = 3_600_000;
const STATES = ["running", "stopped", "hibernated", "starting", "failed", "waiting_approval", "completed"];
const TABS = [
  { path: "/_parts", name: "Open" },
  { path: "/", name: "Other" },
];
const DIFF = "--- a/parser.ts\n+++ b/parser.ts\n-const depth = 1;\n+const depth = 2;";

const CODE = "// How deep it may be\nconst depth: number = 1;";
const CALL = { args: { file_path: "src/parser.ts" }, durationMs: undefined, startedAt: undefined };
const CALLS: readonly ConversationCall[] = [
  {
    ...CALL,
    id: "edit",
    tool: "patch_file",
    state: "done",
    result: { details: { lines_added: 12, lines_removed: 3 } },
  },
  {
    ...CALL,
    id: "run",
    tool: "bash_exec",
    args: { command: "npm test" },
    state: "failed",
    result: { exit_code: 1, stdout: "1 failed" },
    durationMs: 4_200,
  },
  { ...CALL, id: "read", tool: "read_file", state: "running", result: undefined },
  {
    ...CALL,
    id: "denied",
    tool: "write_file",
    state: "failed",
    result: { denied: { by: "Ada", reason: "Not yet" } },
  },
];
const QUESTION: Question = {
  approvalId: "example",
  tool: "patch_file",
  args: { file_path: "src/parser.ts", old_str: "depth = 1", new_str: "depth = 2" },
  state: "open",
  reason: undefined,
};

/** Every component of the console in its states, for those who change them. */
export function PartsPage() {
  return (
    <>
      <Heading actions={<button type="button">Action of a page</button>}>Parts</Heading>
      <p class="muted">What the pages of the console are made of.</p>
      <Part name="Buttons">
        <button type="button" class="primary">
          Primary
        </button>
        <button type="button">Plain</button>
        <button type="button" class="quiet">
          Quiet
        </button>
        <button type="button" class="danger">
          Danger
        </button>
        <button type="button" disabled>
          Disabled
        </button>
        <ActionButton work={async () => Promise.reject(new Error("refused"))}>Is refused</ActionButton>
      </Part>
      <Part name="Menu, dialog, toast">
        <Menu label="Menu" face="Menu" class="">
          <MenuButton icon={Pencil} onPicked={() => {}}>
            Rename…
          </MenuButton>
          <hr />
          <MenuButton icon={Trash2} isDanger onPicked={() => {}}>
            Delete…
          </MenuButton>
        </Menu>
        <AskFirst label="Dialog…" title="Delete this?" confirm="Delete" work={async () => {}}>
          <p>It is deleted for good.</p>
        </AskFirst>
        <button type="button" onClick={() => toast("It is archived.")}>
          Toast
        </button>
        <button type="button" onClick={() => toast("It could not be archived.", { isBad: true })}>
          Toast of a refusal
        </button>
      </Part>
      <Part name="Badges, avatar, progress, time">
        <Badge>Plain</Badge>
        <Badge kind="accent">Accent</Badge>
        {STATES.map((state) => (
          <State key={state} of={state} />
        ))}
        <Avatar name="ada" />
        <progress aria-label="Progress" />
        <Moment at={new Date(Date.now() - HOUR_MS).toISOString()} />
      </Part>
      <h2>Tabs</h2>
      <Tabs label="Example" tabs={TABS} current="/_parts" />
      <h2>Table</h2>
      <Table label="Example table" columns={["Name", "State"]} hasActions>
        <tr>
          <td>Compiler</td>
          <td>
            <State of="running" />
          </td>
          <td>
            <button type="button">Open</button>
          </td>
        </tr>
      </Table>
      <h2>Empty state</h2>
      <Empty icon={Inbox} title="Nothing yet" action={<button type="button">First step</button>}>
        What this is for.
      </Empty>
      <h2>Error, notice, skeleton</h2>
      <Refused error={new Error("An example")} again={() => {}} />
      <p class="notice">Something to know.</p>
      <Skeleton />
      <h2>Code and difference</h2>
      <CodeBlock text={CODE} language="ts" />
      <UnifiedDiff text={DIFF} />
      <h2>QR code</h2>
      <QrCode text="otpauth://totp/Example" label="QR code" />
      <h2>Tool cards and a question</h2>
      {CALLS.map((call) => (
        <ToolLine key={call.id} call={call} whole={async () => call} />
      ))}
      <ApprovalCard approval={QUESTION} answer={async () => {}} />
      <h2>Card</h2>
      <ul class="cards">
        <li>
          <h3>Card</h3>
          <p class="muted">What is on it.</p>
        </li>
      </ul>
      <h2>Form fields</h2>
      <div class="form">
        <TextField label="Text" name="text" hint="A sentence about it." />
        <LinesField label="Lines" name="lines" rows={2} />
        <Choice label="Choice" name="choice">
          <option>One</option>
          <option>Another</option>
        </Choice>
        <label class="check">
          <input type="checkbox" /> Checkbox
        </label>
      </div>
      <h2>Icon</h2>
      <Icon of={Inbox} />
    </>
  );
}

function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <h2>{name}</h2>
      <div class="row">{children}</div>
    </>
  );
}
