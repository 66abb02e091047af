-- The panel's schema. Times are epoch milliseconds (UTC), traffic is whole bytes; integers are at most 9007199254740991, which JavaScript represents
-- exactly. Ids are never reused. Indexes and triggers have names, because a bulk load drops and recreates them.

CREATE TABLE tariffs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  traffic_limit INTEGER CHECK (traffic_limit BETWEEN 1 AND 1125899906842624),
  duration_days INTEGER CHECK (duration_days > 0),
  duration_months INTEGER CHECK (duration_months > 0),
  device_limit INTEGER CHECK (device_limit BETWEEN 1 AND 100),
  concurrent_limit INTEGER CHECK (concurrent_limit BETWEEN 1 AND 100),
  reset_strategy TEXT NOT NULL CHECK (reset_strategy IN ('none', 'day', 'week', 'month', 'period')),
  starts TEXT NOT NULL CHECK (starts IN ('on_creation', 'on_first_use')),
  inbounds TEXT CHECK (json_valid(inbounds) AND json_type(inbounds) = 'array'),
  price_amount INTEGER CHECK (price_amount BETWEEN 0 AND 9007199254740991),
  price_currency TEXT CHECK (length(price_currency) = 3),
  archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  version INTEGER NOT NULL CHECK (version BETWEEN 0 AND 9007199254740991),
  CHECK (duration_days IS NULL OR duration_months IS NULL),
  CHECK ((price_amount IS NULL) = (price_currency IS NULL))
) STRICT;

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  kind TEXT NOT NULL CHECK (kind IN ('local', 'remote')),
  address TEXT NOT NULL CHECK (length(address) <= 253),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  allows_private INTEGER NOT NULL CHECK (allows_private IN (0, 1)),
  -- Links omit it, while it continues to serve.
  draining INTEGER NOT NULL CHECK (draining IN (0, 1)),
  -- Weight of its traffic in percent.
  weight INTEGER NOT NULL CHECK (weight BETWEEN 0 AND 1000),
  note TEXT NOT NULL CHECK (length(note) <= 2000),
  status TEXT NOT NULL CHECK (status IN ('up', 'down', 'unknown')),
  core_name TEXT,
  core_version TEXT,
  engine_started_at INTEGER CHECK (engine_started_at BETWEEN 0 AND 8640000000000000),
  users_online INTEGER NOT NULL CHECK (users_online BETWEEN 0 AND 9007199254740991),
  last_seen_at INTEGER CHECK (last_seen_at BETWEEN 0 AND 8640000000000000),
  error_code TEXT,
  error_text TEXT,
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  -- The engine start to which the counters belong.
  boot TEXT CHECK (length(boot) BETWEEN 1 AND 64),
  -- The last row of node_changes that was applied to its engine; null: the engine must be started with all users.
  position INTEGER CHECK (position BETWEEN 0 AND 9007199254740991),
  -- Changes up to this one are applied one by one, after a crash.
  cautious_until INTEGER NOT NULL DEFAULT 0 CHECK (cautious_until BETWEEN 0 AND 9007199254740991),
  -- The last row of node_changes at the time of the last counted reading.
  counted_change INTEGER NOT NULL DEFAULT 0 CHECK (counted_change BETWEEN 0 AND 9007199254740991),
  -- When its engine last reported all addresses of connected users; null: not supported, or not yet.
  addresses_at INTEGER CHECK (addresses_at BETWEEN 0 AND 8640000000000000),
  -- Connections that its engine does not serve as configured, with the reasons.
  unserved TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(unserved) AND json_type(unserved) = 'array'),
  -- Time and reason of the last restart by the panel.
  last_restart TEXT CHECK (json_valid(last_restart) AND json_type(last_restart) = 'object'),
  -- Port of the machine of a joined remote node, and the SHA-256 of its public key.
  agent_port INTEGER CHECK (agent_port BETWEEN 1 AND 65535),
  agent_pin TEXT CHECK (length(agent_pin) = 64),
  -- The last protocol version of this machine.
  agent_protocol TEXT CHECK (length(agent_protocol) BETWEEN 3 AND 9),
  -- Facts of the machine at the last poll: load in percent, how many ms its clock is ahead, version of Gatehouse.
  machine_load INTEGER CHECK (machine_load BETWEEN 0 AND 1000000),
  clock_offset INTEGER CHECK (clock_offset BETWEEN -9007199254740991 AND 9007199254740991),
  agent_version TEXT CHECK (length(agent_version) BETWEEN 1 AND 64),
  -- The certificate of the links that it serves: its end, whether its replacement is overdue, and why the last order failed.
  links_ends_at INTEGER CHECK (links_ends_at BETWEEN 0 AND 8640000000000000),
  links_late INTEGER CHECK (links_late IN (0, 1)),
  links_failure TEXT,
  -- Unacknowledged entries of its ledger at the last poll, and since when. restored_at: when it was last found to be restored from an old copy.
  waiting_entries INTEGER CHECK (waiting_entries BETWEEN 0 AND 9007199254740991),
  waiting_bytes INTEGER CHECK (waiting_bytes BETWEEN 0 AND 9007199254740991),
  waiting_since INTEGER CHECK (waiting_since BETWEEN 0 AND 8640000000000000),
  restored_at INTEGER CHECK (restored_at BETWEEN 0 AND 8640000000000000),
  CHECK ((agent_port IS NULL) = (agent_pin IS NULL))
) STRICT;

-- certificate: the TLS certificate, and whether the panel created it. Its key is sealed. target_findings: problems of the REALITY target at its last
-- test.
CREATE TABLE inbounds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  node_id INTEGER NOT NULL REFERENCES nodes (id),
  -- The same for all connections of a group: the id of the first one.
  group_id INTEGER CHECK (group_id > 0),
  tag TEXT NOT NULL CHECK (length(tag) BETWEEN 1 AND 64),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- protocol, network: no CHECK, because the lists of the contract will grow.
  protocol TEXT NOT NULL,
  network TEXT NOT NULL,
  security TEXT NOT NULL CHECK (security IN ('none', 'tls', 'reality')),
  host TEXT,
  port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
  sni TEXT,
  path TEXT,
  xhttp_mode TEXT CHECK (length(xhttp_mode) BETWEEN 1 AND 16),
  xhttp_extra TEXT CHECK (json_valid(xhttp_extra) AND json_type(xhttp_extra) = 'object' AND length(xhttp_extra) <= 4000),
  service_name TEXT,
  proxy_header TEXT CHECK (length(proxy_header) BETWEEN 1 AND 64),
  flow TEXT,
  fingerprint TEXT,
  alpn TEXT CHECK (json_valid(alpn) AND json_type(alpn) = 'array'),
  public_key TEXT,
  encryption TEXT CHECK (length(encryption) BETWEEN 1 AND 7000),
  mldsa65_verify TEXT CHECK (length(mldsa65_verify) = 2603),
  short_id TEXT,
  -- Further short ids and server names that REALITY accepts, for apps that were set up with them.
  more_short_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(more_short_ids) AND json_type(more_short_ids) = 'array'),
  more_server_names TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(more_server_names) AND json_type(more_server_names) = 'array'),
  method TEXT,
  obfs_password TEXT CHECK (length(obfs_password) BETWEEN 4 AND 128),
  hop_ports TEXT CHECK (length(hop_ports) BETWEEN 1 AND 100),
  masquerade TEXT CHECK (length(masquerade) BETWEEN 8 AND 256),
  fragment TEXT CHECK (length(fragment) BETWEEN 1 AND 40),
  noise TEXT CHECK (length(noise) BETWEEN 1 AND 40),
  mux INTEGER CHECK (mux BETWEEN 1 AND 1024),
  shares_port_of INTEGER REFERENCES inbounds (id),
  fallback TEXT CHECK (length(fallback) BETWEEN 1 AND 261),
  fallback_proxy_protocol INTEGER CHECK (fallback_proxy_protocol BETWEEN 1 AND 2),
  address_pool TEXT CHECK (length(address_pool) BETWEEN 9 AND 18),
  mtu INTEGER CHECK (mtu BETWEEN 1280 AND 1500),
  target TEXT CHECK (length(target) BETWEEN 1 AND 261),
  min_client_version TEXT CHECK (length(min_client_version) BETWEEN 5 AND 11),
  target_findings TEXT CHECK (json_valid(target_findings) AND json_type(target_findings) = 'array'),
  certificate TEXT CHECK (json_valid(certificate) AND json_type(certificate) = 'object'),
  -- Where apps reach it beside its node, in the administrator's order.
  hosts TEXT NOT NULL CHECK (json_valid(hosts) AND json_type(hosts) = 'array'),
  host_order TEXT NOT NULL CHECK (length(host_order) BETWEEN 1 AND 20),
  note TEXT NOT NULL CHECK (length(note) <= 2000),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  version INTEGER NOT NULL CHECK (version BETWEEN 0 AND 9007199254740991)
) STRICT;
CREATE UNIQUE INDEX inbounds_node_tag ON inbounds (node_id, tag);
CREATE UNIQUE INDEX inbounds_group_node ON inbounds (group_id, node_id) WHERE group_id IS NOT NULL;
CREATE INDEX inbounds_shares_port ON inbounds (shares_port_of) WHERE shares_port_of IS NOT NULL;
-- A port can be used once for TCP and once for UDP; for TCP other connections can share it.
CREATE UNIQUE INDEX inbounds_node_tcp_port ON inbounds (node_id, port)
WHERE network NOT IN ('quic', 'udp') AND shares_port_of IS NULL;
CREATE UNIQUE INDEX inbounds_node_udp_port ON inbounds (node_id, port)
WHERE network IN ('quic', 'udp') OR protocol = 'shadowsocks';

-- The inbounds that tariffs list, to find out whether one is in use.
CREATE TABLE tariff_inbounds (
  inbound_id INTEGER NOT NULL REFERENCES inbounds (id),
  tariff_id INTEGER NOT NULL REFERENCES tariffs (id) ON DELETE CASCADE,
  PRIMARY KEY (inbound_id, tariff_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tariff_inbounds_tariff ON tariff_inbounds (tariff_id);

-- expires_at: 9000000000000000 is "never", so that it sorts last. name_sort: the folded name. used: the sum of both directions.
-- announced: bits, 1 expired, 2 traffic low. notice_announced: days of the shortest announced notice of the end of the term.
-- state: as of the last write. state_due_at: the earliest time at which time alone may change it (null: never). due_at: the earliest time at which
-- time changes anything in the row. If state_due_at is the end of the term, users_state_expires finds the row, and no other index is written.
-- cut_change: the row of node_changes with which the user was cut off. cut_node_id: the node whose traffic used up the limit. cut_up, cut_down:
-- traffic after that. All are null while the user may connect.
-- excess: the number of addresses at the last reading above concurrent_limit, excess_at: its time; null again some time after the excess has ended.
-- cut_off_until: until then the user is blocked for it at cut_off_node_id (null: at all nodes), in any state.
-- held_at: when the hold was set that is pending, or from which the term began.
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  name_sort TEXT NOT NULL,
  contact TEXT NOT NULL CHECK (length(contact) <= 100),
  note TEXT NOT NULL CHECK (length(note) <= 2000),
  tags TEXT NOT NULL CHECK (json_valid(tags) AND json_type(tags) = 'array'),
  state TEXT NOT NULL CHECK (state IN ('active', 'on_hold', 'limited', 'expired', 'disabled')),
  tariff_id INTEGER REFERENCES tariffs (id),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  expires_at INTEGER NOT NULL CHECK (expires_at BETWEEN 0 AND 4102444800000 OR expires_at = 9000000000000000),
  hold_months INTEGER CHECK (hold_months BETWEEN 0 AND 9007199254740991),
  hold_days INTEGER CHECK (hold_days BETWEEN 0 AND 9007199254740991),
  traffic_limit INTEGER CHECK (traffic_limit BETWEEN 1 AND 1125899906842624),
  used_up INTEGER NOT NULL CHECK (used_up BETWEEN 0 AND 9007199254740991),
  used_down INTEGER NOT NULL CHECK (used_down BETWEEN 0 AND 9007199254740991),
  used INTEGER NOT NULL,
  total_up INTEGER NOT NULL CHECK (total_up BETWEEN 0 AND 9007199254740991),
  total_down INTEGER NOT NULL CHECK (total_down BETWEEN 0 AND 9007199254740991),
  extra INTEGER NOT NULL CHECK (extra BETWEEN 0 AND 9007199254740991),
  reset_strategy TEXT NOT NULL CHECK (reset_strategy IN ('none', 'day', 'week', 'month', 'period')),
  term_began_at INTEGER CHECK (term_began_at BETWEEN 0 AND 8640000000000000),
  resets_at INTEGER CHECK (resets_at BETWEEN 0 AND 8640000000000000),
  due_at INTEGER CHECK (due_at BETWEEN -8640000000000000 AND 8640000000000000),
  state_due_at INTEGER,
  device_limit INTEGER CHECK (device_limit BETWEEN 1 AND 100),
  inbounds TEXT CHECK (json_valid(inbounds) AND json_type(inbounds) = 'array'),
  online_at INTEGER CHECK (online_at BETWEEN 0 AND 8640000000000000),
  token TEXT NOT NULL CHECK (length(token) >= 16),
  announced INTEGER NOT NULL CHECK (announced BETWEEN 0 AND 3),
  notice_announced INTEGER CHECK (notice_announced BETWEEN 1 AND 90),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  version INTEGER NOT NULL CHECK (version BETWEEN 0 AND 9007199254740991),
  external_id TEXT CHECK (length(external_id) BETWEEN 1 AND 100 AND external_id NOT IN ('.', '..')),
  telegram_id INTEGER CHECK (telegram_id BETWEEN 1 AND 9007199254740991),
  metadata TEXT NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
  cut_change INTEGER CHECK (cut_change BETWEEN 1 AND 9007199254740991),
  cut_node_id INTEGER CHECK (cut_node_id > 0),
  cut_up INTEGER CHECK (cut_up BETWEEN 0 AND 9007199254740991),
  cut_down INTEGER CHECK (cut_down BETWEEN 0 AND 9007199254740991),
  concurrent_limit INTEGER CHECK (concurrent_limit BETWEEN 1 AND 100),
  excess INTEGER CHECK (excess BETWEEN 2 AND 9007199254740991),
  excess_at INTEGER CHECK (excess_at BETWEEN 0 AND 8640000000000000),
  cut_off_until INTEGER CHECK (cut_off_until BETWEEN 0 AND 8640000000000000),
  cut_off_node_id INTEGER CHECK (cut_off_node_id > 0),
  held_at INTEGER CHECK (held_at BETWEEN 0 AND 8640000000000000),
  CHECK ((excess IS NULL) = (excess_at IS NULL) AND (cut_off_until IS NULL OR excess IS NOT NULL)),
  CHECK (cut_off_node_id IS NULL OR cut_off_until IS NOT NULL),
  CHECK (cut_change IS NULL OR state NOT IN ('active', 'on_hold')),
  CHECK ((cut_change IS NULL) = (cut_up IS NULL) AND (cut_change IS NULL) = (cut_down IS NULL)),
  CHECK (cut_node_id IS NULL OR cut_change IS NOT NULL),
  CHECK ((hold_months IS NULL) = (hold_days IS NULL) AND (hold_months IS NULL OR held_at IS NOT NULL)),
  CHECK (used = min(used_up + used_down, 9007199254740991)),
  CHECK (
    state_due_at IS CASE
      WHEN state IN ('disabled', 'expired') THEN NULL
      WHEN state = 'limited' THEN nullif(min(expires_at, coalesce(resets_at, 9000000000000000)), 9000000000000000)
      WHEN used >= traffic_limit THEN nullif(min(expires_at, coalesce(due_at, 9000000000000000)), 9000000000000000)
      ELSE nullif(expires_at, 9000000000000000)
    END
  )
) STRICT;
CREATE UNIQUE INDEX users_token ON users (token);
CREATE UNIQUE INDEX users_external_id ON users (external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX users_telegram_id ON users (telegram_id) WHERE telegram_id IS NOT NULL;
CREATE INDEX users_name ON users (name_sort);
CREATE INDEX users_created ON users (created_at);
CREATE INDEX users_expires ON users (expires_at);
CREATE INDEX users_used ON users (used);
CREATE INDEX users_updated ON users (updated_at);
CREATE INDEX users_contact ON users (contact);
CREATE INDEX users_online ON users (coalesce(online_at, 0));
CREATE INDEX users_excess ON users (id) WHERE excess_at IS NOT NULL;
CREATE INDEX users_due ON users (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX users_state_due ON users (state_due_at) WHERE state_due_at < expires_at;
CREATE INDEX users_state ON users (state);
CREATE INDEX users_state_name ON users (state, name_sort);
CREATE INDEX users_state_created ON users (state, created_at);
CREATE INDEX users_state_expires ON users (state, expires_at);
CREATE INDEX users_plan ON users (coalesce(tariff_id, 0));
CREATE INDEX users_tariff ON users (tariff_id);
CREATE INDEX users_tariff_name ON users (tariff_id, name_sort);
CREATE INDEX users_tariff_created ON users (tariff_id, created_at);
CREATE INDEX users_tariff_expires ON users (tariff_id, expires_at);
CREATE INDEX users_tariff_state ON users (tariff_id, state);

-- Number of users by plan (0: none) and stored state.
CREATE TABLE user_counts (
  tariff_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (tariff_id, state)
) STRICT, WITHOUT ROWID;

-- Number of users in each block of 1,024 ids, so that a deep offset skips blocks instead of rows.
CREATE TABLE user_blocks (
  block INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count >= 0)
) STRICT;

CREATE TRIGGER users_count_insert AFTER INSERT ON users BEGIN
  INSERT INTO user_blocks (block, count) VALUES (NEW.id / 1024, 1) ON CONFLICT (block) DO UPDATE SET count = count + 1;
  INSERT INTO user_counts (tariff_id, state, count) VALUES (coalesce(NEW.tariff_id, 0), NEW.state, 1)
  ON CONFLICT (tariff_id, state) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER users_count_delete AFTER DELETE ON users BEGIN
  UPDATE user_blocks SET count = count - 1 WHERE block = OLD.id / 1024;
  UPDATE user_counts SET count = count - 1 WHERE tariff_id = coalesce(OLD.tariff_id, 0) AND state = OLD.state;
END;
CREATE TRIGGER users_count_update AFTER UPDATE OF state, tariff_id ON users
WHEN OLD.state IS NOT NEW.state OR OLD.tariff_id IS NOT NEW.tariff_id BEGIN
  UPDATE user_counts SET count = count - 1 WHERE tariff_id = coalesce(OLD.tariff_id, 0) AND state = OLD.state;
  INSERT INTO user_counts (tariff_id, state, count) VALUES (coalesce(NEW.tariff_id, 0), NEW.state, 1)
  ON CONFLICT (tariff_id, state) DO UPDATE SET count = count + 1;
END;

-- Credentials of users, one for each family of protocols. Unique, because engines identify users by them.
CREATE TABLE user_credentials (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  family TEXT NOT NULL CHECK (length(family) BETWEEN 1 AND 32),
  value TEXT NOT NULL CHECK (length(value) BETWEEN 1 AND 500),
  PRIMARY KEY (user_id, family)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX user_credentials_value ON user_credentials (family, value);

-- Credentials for a single connection that replace these, for users of another panel. flow: of VLESS, '' for none; null: that of the connection.
CREATE TABLE user_inbound_credentials (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  inbound_id INTEGER NOT NULL REFERENCES inbounds (id) ON DELETE CASCADE,
  value TEXT NOT NULL CHECK (length(value) BETWEEN 1 AND 500),
  flow TEXT CHECK (length(flow) <= 32),
  PRIMARY KEY (user_id, inbound_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX user_inbound_credentials_value ON user_inbound_credentials (value, inbound_id);
CREATE INDEX user_inbound_credentials_inbound ON user_inbound_credentials (inbound_id);

-- The log of changes for engines: users whose permission to connect, connections or credentials have changed. There is no trigger for inserts into
-- user_credentials, because they are inserted together with their user.
CREATE TABLE node_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER users_change_insert AFTER INSERT ON users WHEN NEW.state IN ('active', 'on_hold') BEGIN
  INSERT INTO node_changes (user_id) VALUES (NEW.id);
END;
CREATE TRIGGER users_change_delete AFTER DELETE ON users BEGIN
  INSERT INTO node_changes (user_id) VALUES (OLD.id);
END;
CREATE TRIGGER users_change_update AFTER UPDATE OF state, inbounds, cut_off_until, cut_off_node_id ON users
WHEN (OLD.state IN ('active', 'on_hold')) <> (NEW.state IN ('active', 'on_hold'))
  OR (OLD.cut_off_until IS NULL) <> (NEW.cut_off_until IS NULL)
  OR OLD.cut_off_node_id IS NOT NEW.cut_off_node_id
  OR (NEW.state IN ('active', 'on_hold') AND OLD.inbounds IS NOT NEW.inbounds) BEGIN
  INSERT INTO node_changes (user_id) VALUES (NEW.id);
END;
CREATE TRIGGER user_credentials_change_update AFTER UPDATE OF value ON user_credentials WHEN OLD.value <> NEW.value BEGIN
  INSERT INTO node_changes (user_id) VALUES (NEW.user_id);
END;

CREATE TRIGGER user_inbound_credentials_insert AFTER INSERT ON user_inbound_credentials BEGIN
  INSERT INTO node_changes (user_id) VALUES (NEW.user_id);
END;
CREATE TRIGGER user_inbound_credentials_delete AFTER DELETE ON user_inbound_credentials BEGIN
  INSERT INTO node_changes (user_id) VALUES (OLD.user_id);
END;

-- Records that came from another panel: the record here, as long as it exists, and for users what the source had at the last import, by which
-- the next one finds what changed since, there and here. version: of the record after the last import; at: of the first one.
CREATE TABLE imported_records (
  kind TEXT NOT NULL CHECK (kind IN ('user', 'inbound', 'tariff')),
  -- The panel and its installation.
  source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 120),
  source_id TEXT NOT NULL CHECK (length(source_id) BETWEEN 1 AND 300),
  record_id INTEGER NOT NULL CHECK (record_id > 0),
  facts TEXT CHECK (json_valid(facts) AND json_type(facts) = 'object'),
  version INTEGER NOT NULL CHECK (version BETWEEN 0 AND 9007199254740991),
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (kind, source, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_records_record ON imported_records (kind, record_id);

-- Links that users had in another panel. Sources have a key each; path: before the token, without slashes at its ends. hash: the HMAC-SHA-256 of the
-- token, or of the name in tokens that the source computes. not_before: tokens from before then were revoked. ends_at: of tokens that can be guessed.
CREATE TABLE imported_link_sources (
  source TEXT PRIMARY KEY CHECK (length(source) BETWEEN 1 AND 120),
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
  path TEXT CHECK (length(path) <= 200),
  key TEXT NOT NULL CHECK (length(key) = 64)
) STRICT, WITHOUT ROWID;
CREATE TABLE imported_links (
  hash TEXT NOT NULL CHECK (length(hash) BETWEEN 1 AND 64),
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  not_before INTEGER NOT NULL CHECK (not_before BETWEEN 0 AND 8640000000000000),
  ends_at INTEGER CHECK (ends_at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (hash, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_links_user ON imported_links (user_id);

-- The last counted values of a node's engine by its starts, of users (also deleted ones) and of connections.
CREATE TABLE node_user_counters (
  node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  boot TEXT NOT NULL CHECK (length(boot) BETWEEN 1 AND 64),
  user_id INTEGER NOT NULL,
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (node_id, boot, user_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE node_inbound_counters (
  node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  boot TEXT NOT NULL CHECK (length(boot) BETWEEN 1 AND 64),
  tag TEXT NOT NULL CHECK (length(tag) BETWEEN 1 AND 64),
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (node_id, boot, tag)
) STRICT, WITHOUT ROWID;

-- Times at which links were reissued, and of the first contact with the machine of each node after that.
CREATE TABLE reissues (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE INDEX reissues_at ON reissues (at);
CREATE TABLE reissue_meetings (
  user_id INTEGER NOT NULL REFERENCES reissues (user_id) ON DELETE CASCADE,
  node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (user_id, node_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reissue_meetings_node ON reissue_meetings (node_id);

-- The ledger of a node's machine. taken: the last number that was read from the process `run`. acknowledged: the last number whose acknowledgement
-- the machine has received.
CREATE TABLE node_ledgers (
  node_id INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  ledger TEXT NOT NULL CHECK (length(ledger) BETWEEN 1 AND 64),
  run TEXT NOT NULL CHECK (length(run) BETWEEN 1 AND 64),
  taken INTEGER NOT NULL CHECK (taken BETWEEN 0 AND 9007199254740991),
  acknowledged INTEGER NOT NULL CHECK (acknowledged BETWEEN 0 AND 9007199254740991)
) STRICT;
-- The rest of the bytes that a node's line can have carried until `at`, by direction, for users and for connections. behind: the machine had more
-- entries than one reading. implausible: reported bytes beyond that, since the node was added.
CREATE TABLE node_lines (
  node_id INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  behind INTEGER NOT NULL CHECK (behind IN (0, 1)),
  users_up INTEGER NOT NULL CHECK (users_up BETWEEN 0 AND 9007199254740991),
  users_down INTEGER NOT NULL CHECK (users_down BETWEEN 0 AND 9007199254740991),
  inbounds_up INTEGER NOT NULL CHECK (inbounds_up BETWEEN 0 AND 9007199254740991),
  inbounds_down INTEGER NOT NULL CHECK (inbounds_down BETWEEN 0 AND 9007199254740991),
  implausible_up INTEGER NOT NULL CHECK (implausible_up BETWEEN 0 AND 9007199254740991),
  implausible_down INTEGER NOT NULL CHECK (implausible_down BETWEEN 0 AND 9007199254740991),
  implausible_at INTEGER CHECK (implausible_at BETWEEN 0 AND 8640000000000000)
) STRICT;
-- The lease that a node's machine has acknowledged: its first `version` parts, read at `at` with all of node_changes up to `change`; 0: incomplete.
-- moved_at: when users with traffic only were last sent. shared: SHA-256 of the part that is the same for all users.
CREATE TABLE node_leases (
  node_id INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  lease_id TEXT NOT NULL CHECK (length(lease_id) = 32),
  version INTEGER NOT NULL CHECK (version BETWEEN 0 AND 9007199254740991),
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  change INTEGER NOT NULL CHECK (change BETWEEN 0 AND 9007199254740991),
  moved_at INTEGER NOT NULL CHECK (moved_at BETWEEN 0 AND 8640000000000000),
  protocol_version TEXT,
  shared TEXT NOT NULL CHECK (length(shared) = 64)
) STRICT;
-- Starts of a node's engine by this panel. ended: it was counted to its end, and later readings of it do not count.
CREATE TABLE node_boots (
  node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  boot TEXT NOT NULL CHECK (length(boot) BETWEEN 1 AND 64),
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
  PRIMARY KEY (node_id, boot)
) STRICT, WITHOUT ROWID;

-- Quarantined users: the engine crashed with them or refused them. They are left out of the connection until they or the connection change.
CREATE TABLE node_quarantine (
  user_id INTEGER NOT NULL,
  inbound_id INTEGER NOT NULL REFERENCES inbounds (id) ON DELETE CASCADE,
  message TEXT NOT NULL CHECK (length(message) <= 500),
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (user_id, inbound_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_quarantine_inbound ON node_quarantine (inbound_id);
CREATE TRIGGER node_changes_release AFTER INSERT ON node_changes BEGIN
  DELETE FROM node_quarantine WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER inbounds_release AFTER UPDATE ON inbounds BEGIN
  INSERT INTO node_changes (user_id) SELECT user_id FROM node_quarantine WHERE inbound_id = NEW.id;
END;

-- Addresses of users in the last 24 hours: a keyed hash, whose key is in memory only, and the first part of the network.
CREATE TABLE user_addresses (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  hash TEXT NOT NULL CHECK (length(hash) = 44),
  network TEXT NOT NULL CHECK (length(network) BETWEEN 1 AND 20),
  first_at INTEGER NOT NULL CHECK (first_at BETWEEN 0 AND 8640000000000000),
  last_at INTEGER NOT NULL CHECK (last_at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (user_id, node_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_addresses_node ON user_addresses (node_id, last_at);

-- Time and app of the last read of a user's link.
CREATE TABLE link_reads (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  app TEXT CHECK (length(app) BETWEEN 1 AND 61)
) STRICT;

CREATE TABLE user_tags (
  tag TEXT NOT NULL CHECK (length(tag) BETWEEN 1 AND 32),
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (tag, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_tags_user ON user_tags (user_id);

-- The members of users.metadata, for searches.
CREATE TABLE user_metadata (
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 40),
  value TEXT NOT NULL CHECK (length(value) <= 500),
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (key, value, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_metadata_user ON user_metadata (user_id);

CREATE TABLE user_inbounds (
  inbound_id INTEGER NOT NULL REFERENCES inbounds (id),
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (inbound_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_inbounds_user ON user_inbounds (user_id);

-- The searchable text of a user (rowid = id), folded by the store. Three characters and more are searched as a phrase of trigrams, one or two as a
-- word. Neither index stores the text.
CREATE VIRTUAL TABLE user_text USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE user_grams USING fts5 (
  grams, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii'
);

CREATE TABLE grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL CHECK (bytes BETWEEN 1 AND 9007199254740991),
  bytes_left INTEGER NOT NULL CHECK (bytes_left BETWEEN 0 AND bytes),
  -- The rest when it ended.
  bytes_lost INTEGER NOT NULL DEFAULT 0 CHECK (bytes_lost BETWEEN 0 AND bytes - bytes_left),
  lifetime TEXT NOT NULL CHECK (lifetime IN ('used', 'period', 'days')),
  days INTEGER CHECK (days > 0),
  ends_at INTEGER CHECK (ends_at BETWEEN -8640000000000000 AND 8640000000000000),
  note TEXT NOT NULL CHECK (length(note) <= 200),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  CHECK ((lifetime = 'days') = (days IS NOT NULL))
) STRICT;
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_live ON grants (user_id) WHERE bytes_left > 0;

-- Offers of tariffs. sold: a term or traffic; prices: one for each currency.
CREATE TABLE offers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tariff_id INTEGER NOT NULL REFERENCES tariffs (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  sold TEXT NOT NULL CHECK (json_valid(sold) AND json_type(sold) = 'object'),
  prices TEXT NOT NULL CHECK (json_valid(prices) AND json_type(prices) = 'array'),
  on_sale INTEGER NOT NULL CHECK (on_sale IN (0, 1)),
  audience TEXT NOT NULL CHECK (audience IN ('all', 'new', 'existing', 'link')),
  trial INTEGER NOT NULL CHECK (trial IN (0, 1)),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  CHECK (on_sale = 0 OR (json_array_length(prices) > 0) <> trial)
) STRICT;
CREATE INDEX offers_tariff ON offers (tariff_id);

-- Accounts at payment providers. fields: those that are not secret; secrets are sealed. api_root: null: the default. error: a code; null: none.
-- hook_token: part of the address of its webhooks; null: off. cursor: place in its list of payments; caught_up_at: last time at its end.
CREATE TABLE providers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The contract has the list, which grows.
  kind TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  is_test INTEGER NOT NULL CHECK (is_test IN (0, 1)),
  account TEXT NOT NULL CHECK (length(account) <= 200),
  fields TEXT NOT NULL CHECK (json_valid(fields) AND json_type(fields) = 'object'),
  api_root TEXT CHECK (length(api_root) BETWEEN 1 AND 500),
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  hook_token TEXT CHECK (length(hook_token) BETWEEN 22 AND 64),
  cursor TEXT CHECK (length(cursor) <= 2000),
  caught_up_at INTEGER CHECK (caught_up_at BETWEEN 0 AND 8640000000000000),
  ok_at INTEGER CHECK (ok_at BETWEEN 0 AND 8640000000000000),
  error TEXT CHECK (length(error) BETWEEN 1 AND 40),
  missing TEXT NOT NULL CHECK (json_valid(missing) AND json_type(missing) = 'array'),
  codes TEXT NOT NULL CHECK (json_valid(codes) AND json_type(codes) = 'array' AND length(codes) <= 400),
  refused_currencies TEXT NOT NULL CHECK (json_valid(refused_currencies) AND json_type(refused_currencies) = 'array'),
  error_at INTEGER CHECK (error_at BETWEEN 0 AND 8640000000000000),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  CHECK ((error IS NULL) = (error_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX providers_hook ON providers (hook_token) WHERE hook_token IS NOT NULL;

-- Places of backups outside this machine. fields: those that are not secret; credentials and the passphrase are sealed. encrypted 0: in clear.
-- every_hours: null: only on request. last_at: time of the last stored backup. error: a code, since then.
CREATE TABLE backup_places (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The contract has the list, which grows.
  kind TEXT NOT NULL,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 60),
  fields TEXT NOT NULL CHECK (json_valid(fields) AND json_type(fields) = 'object'),
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  encrypted INTEGER NOT NULL CHECK (encrypted IN (0, 1)),
  every_hours INTEGER CHECK (every_hours BETWEEN 1 AND 744),
  retained INTEGER NOT NULL CHECK (retained BETWEEN 1 AND 1000),
  last_at INTEGER CHECK (last_at BETWEEN 0 AND 8640000000000000),
  error TEXT CHECK (length(error) BETWEEN 1 AND 40),
  error_at INTEGER CHECK (error_at BETWEEN 0 AND 8640000000000000),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  CHECK ((error IS NULL) = (error_at IS NULL))
) STRICT;

-- Orders. Payment and fulfilment are one transaction. Facts of user and offer are copied when the order is created. key: the idempotency key; token:
-- in the link of its page; amount: to be paid, then paid; given: the fulfilment, which a refund revokes; method: of the payment, before that the kind
-- of the provider chosen last; promo: the code, its effect, and the prices without it; referral: the inviting user and the rewards of both.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 8 AND 64),
  token TEXT NOT NULL CHECK (length(token) BETWEEN 22 AND 64),
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  user_name TEXT NOT NULL,
  offer_id INTEGER REFERENCES offers (id) ON DELETE SET NULL,
  offer_name TEXT NOT NULL,
  tariff_id INTEGER REFERENCES tariffs (id) ON DELETE SET NULL,
  tariff_name TEXT NOT NULL,
  sold TEXT NOT NULL CHECK (json_valid(sold) AND json_type(sold) = 'object'),
  prices TEXT NOT NULL CHECK (json_valid(prices) AND json_type(prices) = 'array'),
  amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 9007199254740991),
  -- No list: a payment can arrive in another currency than requested.
  currency TEXT NOT NULL CHECK (length(currency) BETWEEN 1 AND 20),
  method TEXT CHECK (length(method) BETWEEN 1 AND 20),
  provider_id INTEGER REFERENCES providers (id) ON DELETE SET NULL,
  reference TEXT CHECK (length(reference) BETWEEN 1 AND 100),
  note TEXT NOT NULL CHECK (length(note) <= 200),
  state TEXT NOT NULL CHECK (state IN ('new', 'opening', 'open', 'paid', 'refunded', 'expired', 'failed')),
  is_renewal INTEGER NOT NULL CHECK (is_renewal IN (0, 1)),
  given TEXT CHECK (json_valid(given) AND json_type(given) = 'array'),
  paid_at INTEGER CHECK (paid_at BETWEEN 0 AND 8640000000000000),
  day TEXT CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  refunded_at INTEGER CHECK (refunded_at BETWEEN 0 AND 8640000000000000),
  refund_note TEXT CHECK (length(refund_note) <= 200),
  promo TEXT CHECK (json_valid(promo) AND json_type(promo) = 'object'),
  referral TEXT CHECK (json_valid(referral) AND json_type(referral) = 'object'),
  CHECK ((state IN ('paid', 'refunded')) = (given IS NOT NULL)),
  CHECK ((given IS NULL) = (paid_at IS NULL) AND (given IS NULL) = (day IS NULL)),
  CHECK (given IS NULL OR method IS NOT NULL),
  CHECK ((state = 'refunded') = (refunded_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX orders_key ON orders (key);
CREATE UNIQUE INDEX orders_token ON orders (token);
CREATE UNIQUE INDEX orders_reference ON orders (method, reference) WHERE reference IS NOT NULL;
CREATE INDEX orders_user ON orders (user_id);
CREATE INDEX orders_offer ON orders (offer_id);
CREATE INDEX orders_tariff ON orders (tariff_id);
CREATE INDEX orders_provider ON orders (provider_id);
CREATE INDEX orders_day ON orders (day);

-- Users who had a trial; deleted ones are recognized by their Telegram id.
CREATE TABLE trials (
  order_id INTEGER PRIMARY KEY REFERENCES orders (id),
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  telegram_id INTEGER CHECK (telegram_id BETWEEN 1 AND 9007199254740991)
) STRICT;
CREATE INDEX trials_user ON trials (user_id);
CREATE INDEX trials_telegram ON trials (telegram_id) WHERE telegram_id IS NOT NULL;

-- The code in a user's referral link.
CREATE TABLE referral_codes (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  code TEXT NOT NULL CHECK (length(code) BETWEEN 8 AND 32)
) STRICT;
CREATE UNIQUE INDEX referral_codes_code ON referral_codes (code);

-- Telegram accounts that joined by such a link. order_id: the order that earned the reward, stored also after users were deleted.
CREATE TABLE referrals (
  telegram_id INTEGER PRIMARY KEY CHECK (telegram_id BETWEEN 1 AND 9007199254740991),
  referrer_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  opened_at INTEGER NOT NULL CHECK (opened_at BETWEEN 0 AND 8640000000000000),
  order_id INTEGER REFERENCES orders (id) DEFERRABLE INITIALLY DEFERRED,
  rewarded_at INTEGER CHECK (rewarded_at BETWEEN 0 AND 8640000000000000),
  CHECK ((order_id IS NULL) = (rewarded_at IS NULL))
) STRICT;
CREATE INDEX referrals_referrer ON referrals (referrer_id);
CREATE INDEX referrals_opened ON referrals (opened_at);
CREATE INDEX referrals_rewarded ON referrals (rewarded_at) WHERE rewarded_at IS NOT NULL;
CREATE INDEX referrals_order ON referrals (order_id);

-- Promo codes. code: in upper case; tariff_ids, offer_ids: the plans and offers for which it is valid; null: all.
CREATE TABLE promos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  code TEXT NOT NULL CHECK (length(code) BETWEEN 3 AND 64),
  effect TEXT NOT NULL CHECK (json_valid(effect) AND json_type(effect) = 'object'),
  valid_from INTEGER CHECK (valid_from BETWEEN 0 AND 8640000000000000),
  valid_until INTEGER CHECK (valid_until BETWEEN 0 AND 8640000000000000),
  max_uses INTEGER CHECK (max_uses BETWEEN 1 AND 1000000),
  max_uses_per_user INTEGER CHECK (max_uses_per_user BETWEEN 1 AND 1000000),
  tariff_ids TEXT CHECK (json_valid(tariff_ids) AND json_type(tariff_ids) = 'array'),
  offer_ids TEXT CHECK (json_valid(offer_ids) AND json_type(offer_ids) = 'array'),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  note TEXT NOT NULL CHECK (length(note) <= 200),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE UNIQUE INDEX promos_code ON promos (code);

-- Uses of promo codes: reserved until the order is paid. Uses of deleted users are counted by their Telegram id.
CREATE TABLE promo_uses (
  promo_id INTEGER NOT NULL REFERENCES promos (id) ON DELETE CASCADE,
  order_id INTEGER PRIMARY KEY REFERENCES orders (id),
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  telegram_id INTEGER CHECK (telegram_id BETWEEN 1 AND 9007199254740991),
  reserved_at INTEGER NOT NULL CHECK (reserved_at BETWEEN 0 AND 8640000000000000),
  used_at INTEGER CHECK (used_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE INDEX promo_uses_promo ON promo_uses (promo_id);
CREATE INDEX promo_uses_user ON promo_uses (user_id);

-- Invoices of orders at providers. token: our reference, which the provider returns with the payment; key: the idempotency key, stored before the
-- first call; next_poll_at: null if the state is final.
CREATE TABLE invoices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  provider_id INTEGER REFERENCES providers (id) ON DELETE SET NULL,
  token TEXT NOT NULL CHECK (length(token) BETWEEN 22 AND 64),
  key TEXT NOT NULL CHECK (length(key) BETWEEN 8 AND 64),
  state TEXT NOT NULL CHECK (state IN ('opening', 'open', 'paid', 'expired', 'failed')),
  amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 9007199254740991),
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  external_id TEXT CHECK (length(external_id) BETWEEN 1 AND 300),
  pay_url TEXT CHECK (length(pay_url) BETWEEN 1 AND 4000),
  return_url TEXT CHECK (length(return_url) BETWEEN 1 AND 1000),
  -- Address of the buyer for the receipt, stored until the invoice is open.
  email TEXT CHECK (length(email) BETWEEN 3 AND 200),
  tries INTEGER NOT NULL CHECK (tries >= 0),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  polled_at INTEGER CHECK (polled_at BETWEEN 0 AND 8640000000000000),
  next_poll_at INTEGER CHECK (next_poll_at BETWEEN 0 AND 8640000000000000),
  CHECK (next_poll_at IS NULL OR state IN ('opening', 'open')),
  CHECK (email IS NULL OR state = 'opening')
) STRICT;
CREATE UNIQUE INDEX invoices_token ON invoices (token);
CREATE UNIQUE INDEX invoices_key ON invoices (key);
CREATE INDEX invoices_order ON invoices (order_id);
CREATE INDEX invoices_external ON invoices (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX invoices_due ON invoices (provider_id, next_poll_at);

-- Payments that providers have reported, one for each of their ids. reason: why the administrator must decide; act: the decision. raw: the reply
-- without secrets. refund_key: the idempotency key of a requested refund, stored before the call; refund_id: the provider's id of a pending refund;
-- next_refund_at: when it is requested again or polled; null: its outcome is known.
CREATE TABLE payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 20),
  provider_id INTEGER REFERENCES providers (id) ON DELETE SET NULL,
  external_id TEXT NOT NULL CHECK (length(external_id) BETWEEN 1 AND 300),
  is_test INTEGER NOT NULL CHECK (is_test IN (0, 1)),
  order_id INTEGER REFERENCES orders (id),
  amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 9007199254740991),
  currency TEXT NOT NULL CHECK (length(currency) BETWEEN 1 AND 20),
  refunded INTEGER NOT NULL CHECK (refunded BETWEEN 0 AND 9007199254740991),
  refunded_at INTEGER CHECK (refunded_at BETWEEN 0 AND 8640000000000000),
  paid_at INTEGER NOT NULL CHECK (paid_at BETWEEN 0 AND 8640000000000000),
  buyer TEXT CHECK (length(buyer) <= 300),
  raw TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('applied', 'unapplied', 'refunded')),
  provider_state TEXT NOT NULL CHECK (provider_state IN ('held', 'paid', 'refunded', 'partly_refunded', 'disputed', 'dispute_won')),
  reason TEXT CHECK (length(reason) BETWEEN 1 AND 40),
  act TEXT CHECK (length(act) BETWEEN 1 AND 20),
  note TEXT NOT NULL CHECK (length(note) <= 200),
  resolved_at INTEGER CHECK (resolved_at BETWEEN 0 AND 8640000000000000),
  refund_key TEXT CHECK (length(refund_key) BETWEEN 8 AND 64),
  refund_id TEXT CHECK (length(refund_id) BETWEEN 1 AND 300),
  next_refund_at INTEGER CHECK (next_refund_at BETWEEN 0 AND 8640000000000000),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  CHECK (next_refund_at IS NULL OR refund_key IS NOT NULL),
  CHECK (refund_id IS NULL OR next_refund_at IS NOT NULL)
) STRICT;
CREATE INDEX payments_refunds ON payments (provider_id, next_refund_at) WHERE next_refund_at IS NOT NULL;
CREATE UNIQUE INDEX payments_external ON payments (kind, is_test, external_id);
CREATE INDEX payments_order ON payments (order_id);
CREATE INDEX payments_provider ON payments (provider_id, paid_at);
CREATE INDEX payments_attention ON payments (id) WHERE reason IS NOT NULL AND resolved_at IS NULL;

-- Traffic of nodes over time. Node 0 is all nodes together, deleted ones included.
CREATE TABLE node_hours (
  node_id INTEGER NOT NULL,
  hour INTEGER NOT NULL CHECK (hour BETWEEN 0 AND 8640000000000000),
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (node_id, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE node_days (
  node_id INTEGER NOT NULL,
  day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (node_id, day)
) STRICT, WITHOUT ROWID;
-- Totals that never decrease: of a node, of all nodes together (node 0), of a connection.
CREATE TABLE node_totals (
  node_id INTEGER PRIMARY KEY,
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991)
) STRICT;
CREATE TABLE inbound_totals (
  inbound_id INTEGER PRIMARY KEY REFERENCES inbounds (id) ON DELETE CASCADE,
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991)
) STRICT;

-- Numbers of created, expired and deleted users by day of the panel's time zone.
CREATE TABLE user_changes (
  day TEXT PRIMARY KEY CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  created INTEGER NOT NULL DEFAULT 0 CHECK (created BETWEEN 0 AND 9007199254740991),
  expired INTEGER NOT NULL DEFAULT 0 CHECK (expired BETWEEN 0 AND 9007199254740991),
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted BETWEEN 0 AND 9007199254740991)
) STRICT, WITHOUT ROWID;

-- Traffic of users. The key begins with the time, so that a poll writes to adjacent rows, and old rows are deleted together. Days are also by node.
CREATE TABLE user_hours (
  hour INTEGER NOT NULL CHECK (hour BETWEEN 0 AND 8640000000000000),
  user_id INTEGER NOT NULL,
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (hour, user_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE user_days (
  day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  user_id INTEGER NOT NULL,
  node_id INTEGER NOT NULL,
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (day, user_id, node_id)
) STRICT, WITHOUT ROWID;
-- magnitude: the number of digits of total, followed by its first two digits. It grows with total but rarely changes, so the index for the users with
-- most traffic is rarely written. An index by total would be written for every user in every poll.
CREATE TABLE user_months (
  month TEXT NOT NULL CHECK (month GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]'),
  user_id INTEGER NOT NULL,
  up INTEGER NOT NULL CHECK (up BETWEEN 0 AND 9007199254740991),
  down INTEGER NOT NULL CHECK (down BETWEEN 0 AND 9007199254740991),
  total INTEGER NOT NULL CHECK (total = min(up + down, 9007199254740991)),
  magnitude INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (month, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_months_magnitude ON user_months (month, magnitude);
CREATE TRIGGER user_months_magnitude_insert AFTER INSERT ON user_months BEGIN
  UPDATE user_months SET magnitude = length(total) * 100 + substr(total, 1, 2)
  WHERE month = NEW.month AND user_id = NEW.user_id;
END;
CREATE TRIGGER user_months_magnitude_update AFTER UPDATE OF total ON user_months
WHEN NEW.magnitude <> length(NEW.total) * 100 + substr(NEW.total, 1, 2) BEGIN
  UPDATE user_months SET magnitude = length(total) * 100 + substr(total, 1, 2)
  WHERE month = NEW.month AND user_id = NEW.user_id;
END;

CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  at INTEGER NOT NULL CHECK (at BETWEEN -8640000000000000 AND 8640000000000000),
  written_at INTEGER NOT NULL CHECK (written_at BETWEEN 0 AND 8640000000000000),
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('key', 'administrator', 'cli', 'system')),
  key_id INTEGER CHECK (key_id > 0),
  request_id TEXT CHECK (length(request_id) > 0),
  changed TEXT NOT NULL CHECK (json_valid(changed) AND json_type(changed) = 'array'),
  data TEXT NOT NULL CHECK (json_valid(data) AND json_type(data) = 'object'),
  CHECK ((actor_kind = 'key') = (key_id IS NOT NULL)),
  CHECK ((actor_kind = 'system') = (request_id IS NULL))
) STRICT;
CREATE INDEX events_type ON events (type);
CREATE TABLE events_pruned (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  up_to INTEGER NOT NULL CHECK (up_to BETWEEN 0 AND 9007199254740991)
) STRICT;

-- Webhooks. types: null for all. position: the last event of the feed for which deliveries were created. The secrets are sealed.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
  description TEXT NOT NULL CHECK (length(description) <= 100),
  types TEXT CHECK (json_valid(types) AND json_type(types) = 'array'),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT CHECK (disabled_reason IN ('administrator', 'gone', 'failing')),
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 9007199254740991),
  previous_secret_ends_at INTEGER CHECK (previous_secret_ends_at BETWEEN 0 AND 8640000000000000),
  delivered_at INTEGER CHECK (delivered_at BETWEEN 0 AND 8640000000000000),
  failing_since INTEGER CHECK (failing_since BETWEEN 0 AND 8640000000000000),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  CHECK ((enabled = 0) = (disabled_reason IS NOT NULL))
) STRICT;

-- An event for one webhook. body: the same bytes for every attempt. failures: since begun_at, which a redelivery resets.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id INTEGER,
  type TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL CHECK (attempts BETWEEN 0 AND 9007199254740991),
  failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND attempts),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  begun_at INTEGER NOT NULL CHECK (begun_at BETWEEN 0 AND 8640000000000000),
  next_at INTEGER CHECK (next_at BETWEEN 0 AND 8640000000000000),
  ended_at INTEGER CHECK (ended_at BETWEEN 0 AND 8640000000000000),
  CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  CHECK ((state = 'pending') = (ended_at IS NULL))
) STRICT;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;

-- error: a code. Only the status of a reply is stored.
CREATE TABLE webhook_attempts (
  delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  duration_ms INTEGER NOT NULL CHECK (duration_ms BETWEEN 0 AND 9007199254740991),
  status INTEGER CHECK (status BETWEEN 100 AND 999),
  error TEXT,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

-- The Telegram bot, if there is one; its token and proxy are sealed. error: why the panel turned it off.
CREATE TABLE bot (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  bot_id INTEGER NOT NULL CHECK (bot_id BETWEEN 1 AND 9007199254740991),
  username TEXT NOT NULL CHECK (length(username) <= 64),
  name TEXT NOT NULL CHECK (length(name) <= 200),
  api_root TEXT CHECK (length(api_root) BETWEEN 1 AND 500),
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  proxy TEXT CHECK (length(proxy) BETWEEN 1 AND 500),
  app_path TEXT NOT NULL CHECK (length(app_path) = 32),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  error TEXT CHECK (length(error) BETWEEN 1 AND 40),
  error_at INTEGER CHECK (error_at BETWEEN 0 AND 8640000000000000),
  updated_at INTEGER NOT NULL CHECK (updated_at BETWEEN 0 AND 8640000000000000),
  CHECK ((error IS NULL) = (error_at IS NULL))
) STRICT;

-- Updates from Telegram, stored before they are confirmed. next_at: null if done.
CREATE TABLE bot_updates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot_id INTEGER NOT NULL,
  update_id INTEGER NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 9007199254740991),
  received_at INTEGER NOT NULL CHECK (received_at BETWEEN 0 AND 8640000000000000),
  next_at INTEGER CHECK (next_at BETWEEN 0 AND 8640000000000000),
  done_at INTEGER CHECK (done_at BETWEEN 0 AND 8640000000000000),
  CHECK ((next_at IS NULL) = (done_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX bot_updates_update ON bot_updates (bot_id, update_id);
CREATE INDEX bot_updates_next ON bot_updates (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX bot_updates_done ON bot_updates (done_at) WHERE done_at IS NOT NULL;

-- Messages of the bot. payload: parameters of the method without the chat; null when it has ended. dedupe_key: unique, so that nothing is sent twice.
CREATE TABLE bot_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  chat_id INTEGER NOT NULL,
  dedupe_key TEXT CHECK (length(dedupe_key) BETWEEN 1 AND 200),
  method TEXT NOT NULL CHECK (length(method) BETWEEN 1 AND 64),
  payload TEXT CHECK (json_valid(payload)),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
  attempts INTEGER NOT NULL CHECK (attempts BETWEEN 0 AND 9007199254740991),
  not_before INTEGER NOT NULL CHECK (not_before BETWEEN 0 AND 8640000000000000),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  ended_at INTEGER CHECK (ended_at BETWEEN 0 AND 8640000000000000),
  message_id INTEGER,
  error TEXT CHECK (length(error) BETWEEN 1 AND 40),
  CHECK ((payload IS NULL) = (ended_at IS NOT NULL)),
  CHECK (error IS NULL OR ended_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX bot_messages_dedupe_key ON bot_messages (dedupe_key) WHERE dedupe_key IS NOT NULL;
CREATE INDEX bot_messages_waiting ON bot_messages (priority, id) WHERE ended_at IS NULL;
CREATE INDEX bot_messages_due ON bot_messages (not_before) WHERE ended_at IS NULL;
CREATE INDEX bot_messages_chat ON bot_messages (chat_id) WHERE ended_at IS NULL;
CREATE INDEX bot_messages_ended ON bot_messages (ended_at) WHERE ended_at IS NOT NULL;

-- Chats with the bot. language: chosen by the user; null: told_language, which Telegram reports. unreachable_at: since when nothing can be sent.
-- prompt: the data of the button whose question the next message answers.
CREATE TABLE bot_chats (
  chat_id INTEGER PRIMARY KEY,
  language TEXT CHECK (length(language) BETWEEN 2 AND 35),
  told_language TEXT CHECK (length(told_language) BETWEEN 2 AND 35),
  unreachable_at INTEGER CHECK (unreachable_at BETWEEN 0 AND 8640000000000000),
  prompt TEXT CHECK (length(prompt) BETWEEN 1 AND 64)
) STRICT;

-- Broadcasts. texts: by language; filter: that of the list of users; last_user_id: the last recipient so far, up to until_user_id.
CREATE TABLE broadcasts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 8 AND 64),
  bot_id INTEGER NOT NULL CHECK (bot_id BETWEEN 1 AND 9007199254740991),
  texts TEXT NOT NULL CHECK (json_valid(texts) AND json_type(texts) = 'array'),
  filter TEXT NOT NULL CHECK (json_valid(filter) AND json_type(filter) = 'object'),
  state TEXT NOT NULL CHECK (state IN ('draft', 'running', 'paused', 'stopped', 'done')),
  total INTEGER NOT NULL CHECK (total BETWEEN 0 AND 9007199254740991),
  sent INTEGER NOT NULL CHECK (sent BETWEEN 0 AND 9007199254740991),
  blocked INTEGER NOT NULL CHECK (blocked BETWEEN 0 AND 9007199254740991),
  failed INTEGER NOT NULL CHECK (failed BETWEEN 0 AND 9007199254740991),
  last_user_id INTEGER NOT NULL CHECK (last_user_id BETWEEN 0 AND 9007199254740991),
  until_user_id INTEGER NOT NULL CHECK (until_user_id BETWEEN 0 AND 9007199254740991),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  ended_at INTEGER CHECK (ended_at BETWEEN 0 AND 8640000000000000),
  CHECK ((state IN ('stopped', 'done')) = (ended_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX broadcasts_key ON broadcasts (key);
CREATE INDEX broadcasts_running ON broadcasts (id) WHERE state = 'running';

-- The result of a broadcast for each user; queued: the message is in the queue of the bot.
CREATE TABLE broadcast_people (
  broadcast_id INTEGER NOT NULL REFERENCES broadcasts (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'blocked', 'failed')),
  error TEXT CHECK (length(error) BETWEEN 1 AND 40),
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (broadcast_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX broadcast_people_user ON broadcast_people (user_id);
CREATE INDEX broadcast_people_queued ON broadcast_people (broadcast_id) WHERE state = 'queued';

-- The last notice of each kind that a user was sent. mark: the end of the term or the period of the counter to which it referred.
CREATE TABLE bot_notices (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
  mark INTEGER NOT NULL CHECK (mark BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (user_id, kind)
) STRICT, WITHOUT ROWID;

-- The administrator's Telegram accounts, which get notifications and change users in the chat. name: as of the pairing. proven_at: when the code of
-- the second factor was last entered there; null: never.
CREATE TABLE bot_admins (
  telegram_id INTEGER PRIMARY KEY CHECK (telegram_id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL CHECK (length(name) <= 200),
  paired_at INTEGER NOT NULL CHECK (paired_at BETWEEN 0 AND 8640000000000000),
  proven_at INTEGER CHECK (proven_at BETWEEN 0 AND 8640000000000000)
) STRICT;

-- Accounts that have requested access. refused_at: when the administrator refused; null: not answered.
CREATE TABLE bot_requests (
  telegram_id INTEGER PRIMARY KEY CHECK (telegram_id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL CHECK (length(name) <= 200),
  requested_at INTEGER NOT NULL CHECK (requested_at BETWEEN 0 AND 8640000000000000),
  refused_at INTEGER CHECK (refused_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE INDEX bot_requests_open ON bot_requests (requested_at) WHERE refused_at IS NULL;

-- One-time links to the bot, by the SHA-256 of their tokens. A user has at most one for each purpose: created in the record, or on the subscription
-- page. A link that pairs an account of the administrator has no user.
CREATE TABLE bot_invitations (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  purpose TEXT NOT NULL CHECK (purpose IN ('record', 'page', 'admin')),
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL CHECK (expires_at BETWEEN 0 AND 8640000000000000),
  CHECK ((purpose = 'admin') = (user_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX bot_invitations_user ON bot_invitations (user_id, purpose);
CREATE UNIQUE INDEX bot_invitations_admin ON bot_invitations (purpose) WHERE purpose = 'admin';
CREATE INDEX bot_invitations_expires ON bot_invitations (expires_at);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('administrator', 'key', 'cli', 'bot', 'panel', 'unknown')),
  actor_id INTEGER,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
  target TEXT,
  detail TEXT NOT NULL CHECK (json_valid(detail) AND json_type(detail) = 'object'),
  address TEXT,
  request_id TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_action ON audit (action);
CREATE INDEX audit_target ON audit (target);
CREATE INDEX audit_actor ON audit (actor_kind, actor_id);
CREATE INDEX audit_request ON audit (request_id);

-- The users that a bulk has changed. The name is stored only if the bulk deleted the user.
CREATE TABLE audit_users (
  audit_id INTEGER NOT NULL REFERENCES audit (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL,
  name TEXT,
  PRIMARY KEY (audit_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_users_user ON audit_users (user_id);

-- Steps that undo an action on users (core/users/undo.ts), one row for several users, beginning with first_id. Rows are deleted some minutes after
-- the action.
CREATE TABLE undo (
  audit_id INTEGER NOT NULL REFERENCES audit (id) ON DELETE CASCADE,
  first_id INTEGER NOT NULL,
  users INTEGER NOT NULL CHECK (users > 0),
  steps TEXT NOT NULL CHECK (json_valid(steps) AND json_type(steps) = 'array'),
  PRIMARY KEY (audit_id, first_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  name TEXT NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('read', 'full')),
  prefix TEXT NOT NULL CHECK (length(prefix) <= 8),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  expires_at INTEGER CHECK (expires_at BETWEEN 0 AND 8640000000000000),
  revoked_at INTEGER CHECK (revoked_at BETWEEN 0 AND 8640000000000000),
  -- 1: restored from a backup that may have been changed; the administrator must confirm it.
  unconfirmed INTEGER NOT NULL DEFAULT 0 CHECK (unconfirmed = 0 OR (unconfirmed = 1 AND revoked_at IS NOT NULL)),
  last_used_at INTEGER CHECK (last_used_at BETWEEN 0 AND 8640000000000000),
  last_used_from TEXT
) STRICT;
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  address TEXT NOT NULL,
  device TEXT NOT NULL,
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  last_seen_at INTEGER NOT NULL CHECK (last_seen_at BETWEEN 0 AND 8640000000000000),
  -- When the password and the code were last entered in this session.
  proven_at INTEGER CHECK (proven_at BETWEEN 0 AND 8640000000000000),
  -- The known browser in which it began; null: none.
  browser_id INTEGER
) STRICT;
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);

CREATE TABLE administrator (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  password_hash TEXT NOT NULL CHECK (length(password_hash) > 0),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  password_changed_at INTEGER NOT NULL CHECK (password_changed_at BETWEEN 0 AND 8640000000000000)
) STRICT;
-- Failed proofs of identity since the last success, by session, known browser or network.
CREATE TABLE failed_attempts (
  scope TEXT PRIMARY KEY CHECK (length(scope) BETWEEN 1 AND 100),
  failed INTEGER NOT NULL CHECK (failed BETWEEN 1 AND 9007199254740991),
  last_at INTEGER NOT NULL CHECK (last_at BETWEEN 0 AND 8640000000000000)
) STRICT, WITHOUT ROWID;
CREATE INDEX failed_attempts_last_at ON failed_attempts (last_at);
-- Browsers in which the administrator has signed in, by the hash of their stored token.
CREATE TABLE known_browsers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  signed_in_at INTEGER NOT NULL CHECK (signed_in_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE UNIQUE INDEX known_browsers_hash ON known_browsers (hash);
CREATE TABLE setup_token (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  ends_at INTEGER NOT NULL CHECK (ends_at BETWEEN 0 AND 8640000000000000)
) STRICT;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL CHECK (status BETWEEN 100 AND 599),
  body TEXT,
  location TEXT
) STRICT;
CREATE UNIQUE INDEX idempotency_key ON idempotency (scope, key);
CREATE INDEX idempotency_at ON idempotency (at);
-- Progress of a write in several transactions, one row for each, so that a repeated request continues there. The final reply replaces them.
CREATE TABLE idempotency_parts (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  fingerprint TEXT NOT NULL,
  data TEXT NOT NULL CHECK (json_valid(data)),
  PRIMARY KEY (scope, key, number)
) STRICT, WITHOUT ROWID;

-- Secrets sealed by the master key, each bound to its place.
CREATE TABLE sealed (
  place TEXT PRIMARY KEY CHECK (length(place) BETWEEN 1 AND 200),
  key_id TEXT NOT NULL CHECK (length(key_id) > 0),
  nonce BLOB NOT NULL CHECK (length(nonce) = 12),
  ciphertext BLOB NOT NULL CHECK (length(ciphertext) >= 16)
) STRICT, WITHOUT ROWID;

CREATE TABLE two_factor (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  enabled_at INTEGER NOT NULL CHECK (enabled_at BETWEEN 0 AND 8640000000000000),
  last_step INTEGER NOT NULL CHECK (last_step BETWEEN 0 AND 9007199254740991)
) STRICT;
CREATE TABLE two_factor_pending (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  session_id INTEGER NOT NULL,
  ends_at INTEGER NOT NULL CHECK (ends_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE TABLE recovery_codes (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64)
) STRICT, WITHOUT ROWID;
