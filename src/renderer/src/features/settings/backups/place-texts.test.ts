// The state of a place in the list, and validation of its fields.
import { describe, expect, it } from 'vitest';
import { describePlace, findPlaceErrors, findPlaceTarget } from './place-texts.ts';

describe('describePlace', () => {
  const place = { running: false, error: null, last_at: '2026-11-20T10:00:00.000Z' };
  it('names what needs attention first', () => {
    expect(describePlace(place).state).toBe('up');
    expect(describePlace({ ...place, last_at: null }).text).toBe('backups.places.state.waiting');
    expect(describePlace({ ...place, error: 'timeout' }).state).toBe('down');
    expect(describePlace({ ...place, error: 'timeout', running: true }).text).toBe('backups.places.state.running');
  });
});

describe('findPlaceTarget', () => {
  it('says where it is', () => {
    const s3 = { endpoint: 'https://s3.example.com:9000', bucket: 'backups' };
    expect(findPlaceTarget({ kind: 's3', fields: s3 })).toBe('s3.example.com:9000/backups');
    expect(findPlaceTarget({ kind: 's3', fields: { ...s3, prefix: 'panel' } })).toBe(
      's3.example.com:9000/backups/panel',
    );
    const sftp = { host: 'nas.example.com', user: 'backup' };
    expect(findPlaceTarget({ kind: 'sftp', fields: sftp })).toBe('backup@nas.example.com');
    expect(findPlaceTarget({ kind: 'sftp', fields: { ...sftp, port: '2222', path: '/srv' } })).toBe(
      'backup@nas.example.com:2222 /srv',
    );
    expect(findPlaceTarget({ kind: 'folder', fields: { path: '/mnt/safe' } })).toBe('/mnt/safe');
    expect(findPlaceTarget({ kind: 'chat', fields: {} })).toBeNull();
  });
});

describe('findPlaceErrors', () => {
  const s3 = { endpoint: 'https://s3.example.com', bucket: 'backups', access_key_id: 'GK1', secret_access_key: 's' };
  it('wants what the kind needs, and lets saved credentials be empty', () => {
    expect(findPlaceErrors('s3', s3, [])).toEqual({});
    expect(findPlaceErrors('s3', { ...s3, secret_access_key: '' }, [])).toEqual({ secret_access_key: 'required' });
    expect(findPlaceErrors('s3', { ...s3, secret_access_key: '' }, ['secret_access_key'])).toEqual({});
    expect(findPlaceErrors('folder', { path: 'relative' }, [])).toEqual({ path: 'format' });
    expect(findPlaceErrors('chat', {}, [])).toEqual({});
  });
  it('wants TLS unless private addresses are allowed', () => {
    const plain = { ...s3, endpoint: 'http://10.0.0.2:9000' };
    expect(findPlaceErrors('s3', plain, [])).toEqual({ endpoint: 'https_required' });
    expect(findPlaceErrors('s3', { ...plain, allow_private: true }, [])).toEqual({});
  });
  it('wants a password or a key of SFTP', () => {
    const sftp = { host: 'nas', user: 'backup' };
    expect(findPlaceErrors('sftp', sftp, [])).toEqual({ sftp_password: 'needsAuth' });
    expect(findPlaceErrors('sftp', { ...sftp, sftp_password: 'x' }, [])).toEqual({});
    expect(findPlaceErrors('sftp', sftp, ['private_key'])).toEqual({});
    expect(findPlaceErrors('sftp', { ...sftp, sftp_password: 'x', host_key: 'MD5:1' }, [])).toEqual({
      host_key: 'format',
    });
  });
});
