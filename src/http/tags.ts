interface TagOfReference {
  readonly name: string;
  readonly description: string;
}

interface TagGroup {
  readonly name: string;
  readonly tags: readonly TagOfReference[];
}

/** The headings of the API reference, in the order in which a newcomer needs them. Each operation has one of them. */
export const TAG_GROUPS = [
  {
    name: "Start",
    tags: [
      {
        name: "Accounts",
        description:
          "Registration, sign-in and what people may change about themselves. Signing in returns an access token, which other requests carry as `Authorization: Bearer`.",
      },
      {
        name: "Sessions",
        description:
          "A sign-in begins a session, which lasts until it is ended. Access tokens are short-lived: refresh them with the session's refresh token, which can be used once.",
      },
      {
        name: "External keys",
        description:
          "Keys for programs. A key acts for the person who made it, within its scopes and, if it names one, within one project.",
      },
      {
        name: "Projects",
        description:
          "A project is a workspace: files, containers and chats, which belong to a team. Most other operations name one, by id or slug.",
      },
      {
        name: "Agent tasks",
        description:
          "The interface for programs: start an agent on a project, follow its events, and read the result. A task survives every crash; its end can also be sent to a callback.",
      },
      {
        name: "Chat",
        description:
          "The interface for people: messages to the agent, streams of what it does, and approvals of dangerous calls. The messages of one chat run one after another.",
      },
    ],
  },
  {
    name: "Workspaces",
    tags: [
      {
        name: "Files",
        description: "The files of a project. Paths are relative to the project's directory.",
      },
      {
        name: "Snapshots",
        description: "Saved states of a project's files, to which a project can return.",
      },
      {
        name: "Containers",
        description:
          "The programs of a project: what runs, where it is reached, its variables, logs and connections.",
      },
      {
        name: "Previews",
        description: "Access of browsers to the web pages that a project's containers serve.",
      },
      {
        name: "Shells",
        description: "Shell sessions in a project for programs. People have terminals, over a WebSocket.",
      },
      {
        name: "Commands",
        description: "Single commands in a project, run to their end, and their history.",
      },
      {
        name: "Background tasks",
        description: "Work on projects and containers that goes on after its response, such as a start.",
      },
      {
        name: "Templates",
        description:
          "Archives from which projects are created: those of the installation and a person's own.",
      },
    ],
  },
  {
    name: "Agents",
    tags: [
      {
        name: "Agents",
        description:
          "Agents of a person's own: a name, instructions, a model and the tools that they may use.",
      },
      {
        name: "Models",
        description: "The models that agents can use, and a person's choice among them.",
      },
      {
        name: "Own model keys",
        description:
          "Keys of model providers that a person brings along. Calls with such a key take no credits. A stored key is never shown again.",
      },
      {
        name: "Schedules",
        description: "Messages to agents at given times, and the runs that came of them.",
      },
      {
        name: "Models for programs",
        description:
          "An interface for clients of OpenAI's API: the same models, paid with credits, by API key.",
      },
      {
        name: "MCP servers",
        description:
          "Servers of the Model Context Protocol whose tools agents use: of a person, of a team, or of a project.",
      },
      {
        name: "MCP",
        description:
          "The service as a server of the Model Context Protocol, for agents of other programs: by API key, or by a person's consent (OAuth 2.1).",
      },
    ],
  },
  {
    name: "Code and publishing",
    tags: [
      {
        name: "Git",
        description: "The git repository of a project: clone, commit, push, branches and history.",
      },
      {
        name: "Git hosts",
        description: "Connections to GitHub, GitLab and Bitbucket, and the repositories there.",
      },
      {
        name: "Deployments",
        description: "Publish a project at a hosting provider, in the caller's own account there.",
      },
      {
        name: "Deployment credentials",
        description: "Connections to hosting providers, by OAuth or by a token.",
      },
    ],
  },
  {
    name: "Messaging",
    tags: [
      {
        name: "Channels",
        description: "Connect a messaging platform to a project: people there talk to its agent.",
      },
      {
        name: "Gateway",
        description:
          "Links between accounts of messaging platforms and people, and the state of connections.",
      },
      {
        name: "Desktop",
        description: "Pairing of the desktop app, which gets an API key without a password.",
      },
    ],
  },
  {
    name: "Teams and money",
    tags: [
      {
        name: "Teams",
        description:
          "People who share projects. Each member has a role; everyone has a team of their own from the start.",
      },
      {
        name: "Billing",
        description: "Credits, subscriptions, payments and usage of the caller's team.",
      },
      {
        name: "Marketplace",
        description: "Agents and templates that people publish: find, buy, review and sell them.",
      },
      {
        name: "Creators",
        description: "Public profiles of those who publish in the marketplace.",
      },
    ],
  },
  {
    name: "Operation",
    tags: [
      {
        name: "Service",
        description:
          "The service itself: health, version, configuration and this reference. Needs no credentials.",
      },
      {
        name: "Pages",
        description:
          "Small pages for browsers, to which mails, providers and the desktop app link. Programs do not need them.",
      },
      {
        name: "Audit log",
        description: "Who changed what in a team and its projects.",
      },
      {
        name: "Administration",
        description: "Accounts and payments of the whole installation, for administrators.",
      },
    ],
  },
] as const satisfies readonly TagGroup[];

/** A heading of the API reference. */
export type Tag = (typeof TAG_GROUPS)[number]["tags"][number]["name"];
