"""Creates, changes and deletes servers through Nova's own objects, as its conductor and compute service would.

Reads one request in JSON from each line, and answers with one line.
"""

import datetime
import json
import sys

from nova import config, context, exception, objects
from nova.network import model, neutron

POWER_STATES = {'active': 1, 'stopped': 4}


def find_flavor(admin, name):
    try:
        return objects.Flavor.get_by_name(admin, name)
    except exception.FlavorNotFoundByName:
        size = {'memory_mb': 2048, 'vcpus': 1, 'root_gb': 20, 'ephemeral_gb': 0, 'swap': 0}
        flavor = objects.Flavor(admin, name=name, flavorid=name, rxtx_factor=1.0, vcpu_weight=None, is_public=True,
                                disabled=False, extra_specs={}, **size)
        flavor.create()
        return flavor


def find_cell(admin):
    return next(cell for cell in objects.CellMappingList.get_all(admin) if not cell.is_cell0())


def create(admin, wanted):
    cell = find_cell(admin)
    flavor = find_flavor(admin, wanted['flavor'])
    with context.target_cell(admin, cell) as inside:
        server = objects.Instance(
            inside, uuid=wanted['id'], user_id=wanted['userId'], project_id=wanted['projectId'],
            display_name=wanted['name'], hostname=wanted['hostname'], metadata=wanted['metadata'],
            availability_zone=wanted['zone'], vm_state='active', power_state=POWER_STATES['active'],
            launched_at=datetime.datetime.now(datetime.timezone.utc),
            access_ip_v4=wanted.get('accessIPv4'), access_ip_v6=wanted.get('accessIPv6'),
            flavor=flavor, old_flavor=None, new_flavor=None, instance_type_id=flavor.id, memory_mb=flavor.memory_mb,
            vcpus=flavor.vcpus, root_gb=flavor.root_gb, ephemeral_gb=flavor.ephemeral_gb, image_ref='70a599e0-31e7-49b7-b260-868f441e862b',
            system_metadata={}, reservation_id='r-lab', locked=False, progress=0, disable_terminate=False)
        server.create()
        objects.InstanceMapping(admin, instance_uuid=server.uuid, cell_mapping=cell, project_id=server.project_id,
                                user_id=server.user_id, queued_for_delete=False).create()
        server.info_cache.network_info = model.NetworkInfo([])
        server.info_cache.save()
        read_ports(inside, server)


def read_ports(inside, server):
    """Nova keeps with a server which addresses Neutron gave its ports."""
    neutron.API().get_instance_nw_info(inside, server, force_refresh=True)


def change(admin, wanted):
    with context.target_cell(admin, find_cell(admin)) as inside:
        server = objects.Instance.get_by_uuid(inside, wanted['id'])
        if 'vmState' in wanted:
            server.vm_state = wanted['vmState']
            server.power_state = POWER_STATES.get(wanted['vmState'], 0)
        if 'metadata' in wanted:
            server.metadata = wanted['metadata']
        server.save()
        read_ports(inside, server)


def delete(admin, wanted):
    with context.target_cell(admin, find_cell(admin)) as inside:
        objects.Instance.get_by_uuid(inside, wanted['id']).destroy()
    mapping = objects.InstanceMapping.get_by_instance_uuid(admin, wanted['id'])
    mapping.queued_for_delete = True
    mapping.save()


def main():
    config.parse_args(['servers', '--config-file', '/lab/etc/nova.conf'])
    objects.register_all()
    actions = {'create': create, 'change': change, 'delete': delete}
    for line in sys.stdin:
        request = json.loads(line)
        actions[request['action']](context.get_admin_context(), request)
        print('{}', flush=True)


main()
