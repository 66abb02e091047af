// What a screen reader is told of each main screen: landmarks, headings, controls and their names, in this order. What is not listed
// here may stand between.

/** Around every screen. */
export const FRAME = `
- navigation "Skip to the content":
  - link "Skip to the content"
- navigation "Sections":
  - list:
    - listitem:
      - link "Overview"
    - listitem:
      - link "Users"
    - listitem:
      - link "Plans"
    - listitem:
      - link "Sales"
    - listitem:
      - link "Connections"
    - listitem:
      - link "Nodes"
    - listitem:
      - link "Audit"
    - listitem:
      - link "Settings"
- banner:
  - button "Search or jump to…"
  - link /^Panel status/:
    - status /^Panel status/
  - button "Appearance"
  - button "Account"
`;

/** A list: its table with the names of its columns, and a row whose first cell opens the record. */
const list = (name: string, columns: readonly string[], boxes = false) => `
  - table "${name}":
    - rowgroup:
      - row:${boxes ? '\n        - columnheader "Select all on this page":\n          - checkbox "Select all on this page"' : ''}
${columns.map((column) => `        - columnheader "${column}"`).join('\n')}
    - rowgroup:
      - row:
        - cell:
          - link`;

const heading = (name: string) => `- main:
  - heading "${name}" [level=1]`;

export const TREES = {
  Overview: `${heading('Overview')}
  - region "Figures":
    - link /^Online now \\d/
    - link /^Active users \\d+ of \\d+/
    - link /^Expiring in 7 days/
  - region "Needs attention":
    - heading "Needs attention" [level=2]
    - list
  - region "Traffic":
    - heading "Traffic" [level=2]
    - radiogroup "Show":
      - radio "Total" [checked]
      - radio "By node"
    - radiogroup "Range":
      - radio "24 h" [checked]
      - radio "7 days"
      - radio "30 days"
    - 'slider "Chart: Traffic"'
  - region "Top users this month":
    - heading "Top users this month" [level=2]
    - link "All users"
  - region "Nodes":
    - heading "Nodes" [level=2]
    - link "All nodes"
  - region "Users by plan":
    - heading "Users by plan" [level=2]`,
  Users: `${heading('Users')}
  - button "Export CSV"
  - button "Columns"
  - button "Add users"
  - searchbox "Search"
  - button "Filter"
  - group "State":
    - button /^All \\d+/ [pressed]
    - button /^Active \\d+/
  - button "Views"${list('Users', ['User', 'State', 'Plan', 'Traffic', 'Expires', 'Online', 'Tags'], true)}`,
  Plans: `${heading('Plans')}
  - button "Add a plan"
  - group "Show plans":
    - button /^Offered \\d+/ [pressed]${list('Plans', ['Plan', 'Traffic', 'Counter resets', 'Term', 'Devices', 'Price', 'Users', 'Actions'])}`,
  Sales: `${heading('Sales')}
  - button "Export CSV"
  - group "Sections of sales":
    - button "Overview" [pressed]
    - button "Orders"
    - button "Needs attention"
    - button "Reconciliation"
    - button "Offers"
  - radiogroup "Period":
    - radio "30 days" [checked]`,
  Connections: `${heading('Connections')}
  - button "Add a connection"
  - group "Node":
    - button /^All \\d+/ [pressed]${list('Connections', ['Connection', 'Node', 'Type', 'Address', 'State', 'Actions'])}`,
  Nodes: `${heading('Nodes')}
  - button "Add a node"${list('Nodes', ['Node', 'State', 'Problem', 'Online', 'Load', 'This month', 'Last poll', 'Engine', 'Actions'])}`,
  Audit: `${heading('Audit')}
  - button "Export CSV"
  - button "Columns"
  - searchbox "Search"
  - button "Filter"
  - table "Audit":
    - rowgroup:
      - row:
        - columnheader "When"
        - columnheader "What"
        - columnheader "Target"
        - columnheader "Who"
        - columnheader "From"
        - columnheader "Request"`,
  Settings: `${heading('Settings')}
  - navigation "Sections of the settings":
    - list:
      - listitem:
        - link "General"
  - region "General":
    - heading "General" [level=2]
    - textbox "Title of the panel"
    - combobox "Language"
    - combobox "Time zone"`,
} as const;
