import { visible, type api, type ApprovalResponse } from "@agent-workspace/client";
import { Choice, LinesField, TextField } from "../fields.tsx";
import { Refused } from "../refused.tsx";
import { useAction } from "../use-action.ts";
import { answersIn } from "./input-answers.ts";

/** Answers a server with `content`, where that is a form that is accepted. */
type Give = (response: ApprovalResponse, content?: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** What an MCP server asks a person in the middle of a call: a form, or an address that the person opens. All of it is foreign text. */
export function InputCard({ input, give }: { input: api.AskedInput; give: Give }) {
  const { server, message, mode, fields = [] } = input;
  const { run, isBusy, error } = useAction(give);
  return (
    <section class="approval" aria-label="A server asks">
      <h2>The MCP server {visible(server)} asks</h2>
      <blockquote class="foreign" dir="auto">
        {visible(message)}
      </blockquote>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (mode === "url") run("accept");
          else run("accept", answersIn(new FormData(event.currentTarget), fields));
        }}
      >
        {mode === "url" ? (
          <Address input={input} />
        ) : (
          <>
            {fields.map((field) => (
              <AskedField key={field.name} field={field} />
            ))}
            <p class="muted small">
              Your answers go to {visible(server)}, not to the agent. Never give passwords, keys or other
              secrets here.
            </p>
          </>
        )}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            {mode === "url" ? "I have done it" : "Send answers"}
          </button>
          <button type="button" disabled={isBusy} onClick={() => run("decline")}>
            Decline
          </button>
          <button type="button" disabled={isBusy} onClick={() => run("cancel")}>
            Dismiss
          </button>
        </div>
      </form>
      {error !== undefined && <Refused error={error} />}
    </section>
  );
}

/** The whole address, with its host: nothing opens it but the person. */
function Address({ input: { url = "", host = "" } }: { input: api.AskedInput }) {
  return (
    <>
      <p>
        It wants you to open an address at <strong>{visible(host)}</strong>. Open it only if you trust it.
      </p>
      <p class="whole-address" dir="ltr">
        <a href={url} target="_blank" rel="noopener noreferrer">
          {visible(url)}
        </a>
      </p>
    </>
  );
}

function AskedField({ field }: { field: api.AskedField }) {
  const { name, title, description, required, type, format, min, max, options = [] } = field;
  const preset = field.default;
  const about = {
    name,
    label: `${visible(title)}${required || type === "boolean" ? "" : " (optional)"}`,
    ...(description !== undefined && { hint: visible(description) }),
  };
  const text = typeof preset === "string" || typeof preset === "number" ? String(preset) : "";
  switch (type) {
    case "boolean":
      return (
        <label class="check">
          <input type="checkbox" name={name} defaultChecked={preset === true} /> {about.label}
          {about.hint !== undefined && <span class="muted small">{about.hint}</span>}
        </label>
      );
    case "choice":
      return (
        <Choice {...about} required={required}>
          <option value="">Choose…</option>
          {options.map((option, place) => (
            // By its place: a value may be empty.
            <option key={place} value={place} selected={option.value === preset}>
              {visible(option.title)}
            </option>
          ))}
        </Choice>
      );
    case "choices":
      return (
        <fieldset class="field">
          <legend>{about.label}</legend>
          {about.hint !== undefined && <p class="muted small">{about.hint}</p>}
          {options.map((option, place) => (
            <label key={place} class="check">
              <input
                type="checkbox"
                name={name}
                value={place}
                defaultChecked={Array.isArray(preset) && preset.includes(option.value)}
              />{" "}
              {visible(option.title)}
            </label>
          ))}
        </fieldset>
      );
    case "number":
    case "integer":
      return (
        <TextField
          {...about}
          type="number"
          step={type === "integer" ? 1 : "any"}
          min={min}
          max={max}
          required={required}
          defaultValue={text}
        />
      );
    case "string":
    default: {
      const length = { minLength: min, maxLength: max, required, defaultValue: text };
      return format === undefined && (max ?? Infinity) > LINE_CHARS ? (
        <LinesField {...about} {...length} rows={2} />
      ) : (
        <TextField {...about} {...length} type={format === undefined ? "text" : INPUTS[format]} />
      );
    }
  }
}

/** A text that may be longer has several lines. */
const LINE_CHARS = 200;

const INPUTS = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;
